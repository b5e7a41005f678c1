// SPDX-License-Identifier: Apache-2.0
// The neighbours of samples with their derivatives, for the gradients. Positions are float64, so that the
// nearest neighbour is that of the definition. They are found with samples as lanes.
#if defined(AVO_OP_CPU_GRID_GRID_NEIGHBOURS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_NEIGHBOURS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_NEIGHBOURS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_NEIGHBOURS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/grid/grid_axis-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Finds a vector of samples at a time.
template <typename T>
class GridLocator {
  using D = hn::ScalableTag<double>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  // The neighbours of a vector of samples along an axis; neighbour k of sample i is number k * kLanes + i.
  struct Axis {
    int64_t index[4 * kLanes];  // below 0 where it is not in the image
    double weight[4 * kLanes], slope[4 * kLanes];
  };

  GridLocator(const Tensor &grid, int64_t height, int64_t width, const GridRules &rules)
      : grid_(grid), y_(height, rules), x_(width, rules) {}

  // Calls body(i, y, x, lane) for samples [begin, end), which are counted from the first one of image `first`
  // on. Lane `lane` of both axes is sample i.
  template <bool kSlopes, class Body>
  void ForSamples(int64_t first, int64_t begin, int64_t end, const Body &body) const {
    const D d;
    const int64_t columns = grid_.shape[2], samples = grid_.shape[1] * columns;
    const Shape &s = grid_.strides;
    int64_t image = first + begin / samples, row = begin % samples / columns, column = begin % columns;
    Axis y, x;
    double at_y[kLanes] = {}, at_x[kLanes] = {};
    for (int64_t i = begin; i < end; i += kLanes) {
      const int64_t count = std::min(kLanes, end - i);
      for (int64_t lane = 0; lane < count; ++lane) {
        const T *at = static_cast<const T *>(grid_.data) + image * s[0] + row * s[1] + column * s[2];
        at_x[lane] = Widen(at[0]);
        at_y[lane] = Widen(at[s[3]]);
        if (++column < columns) continue;
        column = 0;
        if (++row < grid_.shape[1]) continue;
        row = 0;
        ++image;
      }
      const auto down = hn::LoadU(d, at_y), across = hn::LoadU(d, at_x);
      y_.Locate(down, y.index, y.weight, kLanes);
      x_.Locate(across, x.index, x.weight, kLanes);
      if constexpr (kSlopes) {
        y_.Differentiate(down, y.slope, kLanes);
        x_.Differentiate(across, x.slope, kLanes);
      }
      for (int64_t lane = 0; lane < count; ++lane) body(i + lane, y, x, lane);
    }
  }

  // Stores the place of the pixel that is nearest to each of samples [begin, end): kOutside where it is not
  // in the image. `row` and `column` are elements from row to row and from pixel to pixel.
  void Nearest(int64_t first, int64_t begin, int64_t end, int64_t row, int64_t column,
               int64_t *places) const {
    ForSamples<false>(first, begin, end, [&](int64_t i, const Axis &y, const Axis &x, int64_t lane) HWY_ATTR {
      const bool inside = (y.index[lane] | x.index[lane]) >= 0;
      places[i] = inside ? y.index[lane] * row + x.index[lane] * column : kOutside;
    });
  }

  static constexpr int64_t kStep = kLanes;

 private:
  const Tensor &grid_;
  const GridAxisRules<D> y_, x_;
};

// The neighbours of all samples of some images, bilinear or bicubic. Each sample has room for `most`
// neighbours, of which it has count[i]:
//
//   all      sample 0: n0 n1 n2 -   sample 1: n0 n1 n2 n3   …        most = 4
//   count    3                      4
template <typename Value>
struct GridNeighbours {
  // A pixel that a sample reads. The sample's gradient g adds g * weight to the gradient of the pixel, and g
  // * pixel * by_y and g * pixel * by_x to the gradients of the sample's coordinates.
  struct Neighbour {
    int64_t row, column;
    Value weight, by_y, by_x;
  };

  int64_t samples, most;  // samples of an image, neighbours of a sample
  hwy::AlignedFreeUniquePtr<Neighbour[]> all;
  std::vector<int32_t> count;
  std::vector<Value> outside_by_y, outside_by_x;  // what neighbours outside the image add: 0 or NaN

  GridNeighbours(int64_t images, int64_t samples_of_one, const GridRules &rules)
      : samples(samples_of_one),
        most(NeighboursOf(rules.interpolation) * NeighboursOf(rules.interpolation)),
        all(AllocateAligned<Neighbour>(images * samples * most)),
        count(images * samples),
        outside_by_y(count.size()),
        outside_by_x(count.size()) {}

  // Finds the neighbours of samples [begin, end), which are counted from the first one of image `first` on.
  template <typename T>
  void Find(const GridLocator<T> &locator, int64_t first, int64_t begin, int64_t end) {
    using Axis = typename GridLocator<T>::Axis;
    const int side = most == 4 ? 2 : 4;
    const auto set = [&](int64_t i, const Axis &y, const Axis &x, int64_t lane) HWY_ATTR {
      Neighbour *to = &all[i * most];
      Value by_y_outside = 0, by_x_outside = 0;
      for (int j = 0; j < side; ++j) {
        const int64_t down = j * GridLocator<T>::kStep + lane;
        const auto weight_y = static_cast<Value>(y.weight[down]), slope_y = static_cast<Value>(y.slope[down]);
        for (int k = 0; k < side; ++k) {
          const int64_t across = k * GridLocator<T>::kStep + lane;
          const auto weight_x = static_cast<Value>(x.weight[across]);
          const Value by_y = slope_y * weight_x, by_x = weight_y * static_cast<Value>(x.slope[across]);
          if ((y.index[down] | x.index[across]) < 0) {
            by_y_outside += 0 * by_y;
            by_x_outside += 0 * by_x;
            continue;
          }
          *to++ = {y.index[down], x.index[across], weight_y * weight_x, by_y, by_x};
        }
      }
      count[i] = static_cast<int32_t>(to - &all[i * most]);
      outside_by_y[i] = by_y_outside;
      outside_by_x[i] = by_x_outside;
    };
    locator.template ForSamples<true>(first, begin, end, set);
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
