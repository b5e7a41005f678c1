// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples, one channel after the other. No image is copied, so time goes with the
// samples; pixels that no sample reads are only set to 0.
#if defined(AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/grid/grid_neighbours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// a * b + sum, rounded once.
template <typename Value>
HWY_INLINE Value FusedOne(Value a, Value b, Value sum) {
  const hn::CappedTag<Value, 1> one;
  return hn::GetLane(FusedMulAdd(hn::Set(one, a), hn::Set(one, b), hn::Set(one, sum)));
}

// The samples of an image, in their order: calls body(i, element) for the elements of a channel of them.
template <typename T, class Body>
HWY_INLINE void ForElements(const T *from, const Shape &shape, const Shape &strides, const Body &body) {
  for (int64_t row = 0, i = 0; row < shape[2]; ++row) {
    const T *element = from + row * strides[2];
    for (int64_t column = 0; column < shape[3]; ++column, ++i, element += strides[3])
      body(i, Widen(*element));
  }
}

// The gradients of images [first, first + count), whose samples are found. Sums of float32 and float64 are
// made where the result lies; those of half types in float32, a plane at a time.
template <typename T, class Args>
class GridPlaneGradients {
  using Value = Compute<T>;
  static constexpr bool kInPlace = std::is_same_v<T, Value>;

 public:
  explicit GridPlaneGradients(const Args &args)
      : args_(args), channels_(args.input.shape[1]), pixels_(args.input.shape[2] * args.input.shape[3]) {}

  // Elements from row to row and from pixel to pixel where sums are made.
  int64_t row() const { return kInPlace ? args_.grad_input.strides[2] : args_.input.shape[3]; }
  int64_t column() const { return kInPlace ? args_.grad_input.strides[3] : 1; }

  // The gradient of the images. add(i, plane, n, c) adds that of channel c of image n, the one after i
  // others.
  template <class Add>
  void Images(int64_t first, int64_t count, const ParallelFor &parallel_for, const Add &add) const {
    const Shape &s = args_.grad_input.strides;
    const int64_t rows = args_.input.shape[2], columns = args_.input.shape[3];
    parallel_for(count * channels_, GrainOf(pixels_), [&](int64_t begin, int64_t end) {
      std::vector<Value> sums(kInPlace ? 0 : pixels_);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t i = item / channels_, c = item % channels_;
        T *to = static_cast<T *>(args_.grad_input.data) + (first + i) * s[0] + c * s[1];
        if constexpr (kInPlace) {
          for (int64_t y = 0; y < rows; ++y) {
            T *line = to + y * s[2];
            if (s[3] == 1) {
              std::fill_n(line, columns, T{0});
            } else {
              for (int64_t x = 0; x < columns; ++x) line[x * s[3]] = 0;
            }
          }
          add(i, to, first + i, c);
        } else {
          std::fill(sums.begin(), sums.end(), Value{0});
          add(i, sums.data(), first + i, c);
          for (int64_t y = 0; y < rows; ++y) {
            const Value *from = sums.data() + y * columns;
            T *line = to + y * s[2];
            if (s[3] == 1) {
              ConvertLine(from, columns, line);
            } else {
              for (int64_t x = 0; x < columns; ++x) line[x * s[3]] = Narrow<T>(from[x]);
            }
          }
        }
      }
    });
  }

  // Adds the gradient of channel c of image n, bilinear or bicubic; its first sample is number `sample`.
  void AddPlane(const GridNeighbours<Value> &neighbours, int64_t sample, Value *sums, int64_t n,
                int64_t c) const {
    const int64_t by_row = row(), by_column = column();
    ForElements(Grads(n, c), args_.grad_output.shape, args_.grad_output.strides,
                [&](int64_t i, Value gradient) HWY_ATTR {
                  const auto *tap = &neighbours.all[(sample + i) * neighbours.most];
                  for (const auto *end = tap + neighbours.count[sample + i]; tap != end; ++tap) {
                    Value &sum = sums[tap->row * by_row + tap->column * by_column];
                    sum = FusedOne(tap->weight, gradient, sum);
                  }
                });
  }

  // Adds the gradient of channel c of image n in mode nearest, of samples that lie at `places` in the plane.
  void AddNearest(const int64_t *places, Value *sums, int64_t n, int64_t c) const {
    ForElements(Grads(n, c), args_.grad_output.shape, args_.grad_output.strides,
                [&](int64_t i, Value gradient) HWY_ATTR {
                  if (places[i] != kOutside) sums[places[i]] += gradient;
                });
  }

  // Stores the gradients of the coordinates of samples [begin, end), which are counted from the first one of
  // image `first` on. Without neighbours, in mode nearest, they are 0: a small change of a coordinate does
  // not change the nearest pixel.
  void Grids(const GridNeighbours<Value> *neighbours, int64_t first, int64_t begin, int64_t end) const {
    const Shape &s = args_.grad_grid.strides;
    const int64_t rows = args_.grid.shape[1], columns = args_.grid.shape[2];
    int64_t n = first + begin / (rows * columns), y = begin / columns % rows, x = begin % columns;
    for (int64_t i = begin; i < end; ++i) {
      T *to = static_cast<T *>(args_.grad_grid.data) + n * s[0] + y * s[1] + x * s[2];
      if (neighbours == nullptr) {
        to[0] = to[s[3]] = T{};
      } else {
        SetGrid(*neighbours, i, n, y, x, to, to + s[3]);
      }
      if (++x < columns) continue;
      x = 0;
      if (++y < rows) continue;
      y = 0;
      ++n;
    }
  }

 private:
  // Stores the gradients of the coordinates of the sample (n, y, x), bilinear or bicubic: over all channels,
  // in their order. The sample is number `sample` of `neighbours`.
  void SetGrid(const GridNeighbours<Value> &neighbours, int64_t sample, int64_t n, int64_t y, int64_t x,
               T *grad_x, T *grad_y) const {
    const Shape &image = args_.input.strides, &g = args_.grad_output.strides;
    const auto *begin = &neighbours.all[sample * neighbours.most];
    const int32_t count = neighbours.count[sample];
    const T *plane = static_cast<const T *>(args_.input.data) + n * image[0];
    const T *gradient = Grads(n, 0) + y * g[2] + x * g[3];
    int64_t offsets[16];
    for (int32_t k = 0; k < count; ++k) offsets[k] = begin[k].row * image[2] + begin[k].column * image[3];
    Value by_y = 0, by_x = 0;
    for (int64_t c = 0; c < channels_; ++c, plane += image[1], gradient += g[1]) {
      const Value up = Widen(*gradient);
      for (int32_t k = 0; k < count; ++k) {
        const Value along = up * Widen(plane[offsets[k]]);
        by_y = FusedOne(along, begin[k].by_y, by_y);
        by_x = FusedOne(along, begin[k].by_x, by_x);
      }
    }
    *grad_x = Narrow<T>(neighbours.outside_by_x[sample] + by_x);
    *grad_y = Narrow<T>(neighbours.outside_by_y[sample] + by_y);
  }

  const T *Grads(int64_t n, int64_t c) const {
    const Shape &s = args_.grad_output.strides;
    return static_cast<const T *>(args_.grad_output.data) + n * s[0] + c * s[1];
  }

  const Args &args_;
  const int64_t channels_, pixels_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
