// SPDX-License-Identifier: Apache-2.0
// Classes of box sizes, and cells of box middles, along x or along y. Compiled once for each instruction set.
//
//   step     a class of sizes (widths or heights): two octaves, so the largest size is 4 times the smallest
//   middle   the sum of both ends of a box, which is twice its middle
//   cell     an interval of middles; each step has its own cells, whose width is in proportion to its sizes
//
//   sizes    1      4      16      64        step 0 has smaller sizes too, the last step larger ones
//            step 0 | step 1 | step 2
//   middles  first_                      last_
//   step 0   | 0 | 1 | 2 | 3 | … | 14 | 15 |       the first and the last cell have all middles beyond, too
//   step 1   |       0       | … |    3    |
#if defined(AVO_OP_CPU_BOXES_BOX_AXIS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_BOX_AXIS_INL_H_
#undef AVO_OP_CPU_BOXES_BOX_AXIS_INL_H_
#else
#define AVO_OP_CPU_BOXES_BOX_AXIS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/tensors/element.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Steps and cells keep order: a larger size never has a smaller step, and a larger middle never has a smaller
// cell, however they are rounded. So all middles between two others lie in the cells between those of the
// two.
class BoxAxis {
 public:
  static constexpr int kSteps = 12;

  // Chooses steps and bounds from middles and sizes of a sample of boxes, and sorts both. Returns false where
  // their proportions do not suit floating-point numbers.
  bool Measure(std::vector<float> *middles, std::vector<float> *sizes) {
    std::sort(middles->begin(), middles->end());
    std::sort(sizes->begin(), sizes->end());
    // A few boxes far from the others, or a few small ones, do not make all cells large or small.
    const size_t few = middles->size() / 10;
    const float low = (*middles)[few], high = middles->rbegin()[few], near = high - low;
    first_ = near > 0 ? std::max(middles->front(), low - near / 2) : middles->front();
    last_ = near > 0 ? std::min(middles->back(), high + near / 2) : middles->back();
    const int32_t most = ExponentOf(sizes->back());
    exponent_ = std::max(ExponentOf((*sizes)[sizes->size() / 16]), most - 2 * kSteps + 1);
    steps_ = (most - exponent_) / 2 + 1;
    for (int32_t step = 0; step < steps_; ++step) most_[step] = std::ldexp(1.0f, ExponentBehind(step));
    return last_ - first_ < kMostSize && sizes->back() < kMostSize && sizes->front() > 1 / kMostSize;
  }

  // Makes the cells of each step `part` of its largest size wide. Returns the number of cells of all steps.
  double Divide(double part) {
    double count = 0;
    for (int32_t step = 0; step < steps_; ++step) {
      scale_[step] = static_cast<float>(1 / part) / most_[step];
      const double last = std::floor((last_ - first_) * scale_[step]);
      cells_[step] = static_cast<int32_t>(std::min(last, 1e9)) + 1;
      count += last + 1;
    }
    return count;
  }

  int32_t steps() const { return steps_; }
  const std::array<int32_t, kSteps> &cells() const { return cells_; }  // their number, by step

  // Cells that hold boxes in reach of a box: in each step from `low` to `high`, those from `first` to `last`.
  struct Reach {
    int32_t low, high;
    std::array<int32_t, kSteps> first, last;
  };

  // Returns the cells of all boxes that may overlap with a box so much that the ratio of intersection to
  // union along this axis is at least `least`. size, middle: of the box; offset: added to sizes.
  Reach ReachOf(float size, float middle, float least, float offset) const {
    // The bounds are a little wide: overlaps and middles are rounded, and sizes where the offset is added.
    const float part = (1 - least) / (1 + least) * 1.001f, largest = size / least;
    const float more = std::abs(middle) * 1e-6f + offset * 1e-5f + 1e-37f;
    Reach reach;
    reach.low = Step(size * least);
    reach.high = Step(largest);
    for (int32_t step = reach.low; step <= reach.high; ++step) {
      const float most = step < steps_ - 1 ? std::min(most_[step], largest) : largest;
      const float far = (most + size) * part + more;
      // An infinite middle makes NaN here, and NaN reaches all cells.
      reach.first[step] = Cell(std::min(std::max(first_, middle - far), last_), step);
      reach.last[step] = Cell(std::max(std::min(last_, middle + far), first_), step);
    }
    return reach;
  }

  // Returns the steps of sizes.
  template <class D, class DI = hn::RebindToSigned<D>>
  HWY_INLINE hn::Vec<DI> Steps(D, hn::Vec<D> sizes) const {
    const DI d;
    const auto above = hn::Sub(hn::ShiftRight<kMantissa>(hn::BitCast(d, sizes)), hn::Set(d, exponent_));
    return hn::ShiftRight<1>(hn::Min(hn::Max(above, hn::Zero(d)), hn::Set(d, 2 * steps_ - 1)));
  }

  // Returns the cells of middles, each in its step. Scales of neighbouring steps differ by a factor of 4, two
  // in their exponent.
  template <class D, class DI = hn::RebindToSigned<D>>
  HWY_INLINE hn::Vec<DI> Cells(D d, hn::Vec<D> middles, hn::Vec<DI> steps) const {
    const DI integers;
    const auto inside = hn::Min(hn::Max(middles, hn::Set(d, first_)), hn::Set(d, last_));
    const auto scale =
        hn::Sub(hn::Set(integers, BitCast<int32_t>(scale_[0])), hn::ShiftLeft<kMantissa + 1>(steps));
    return hn::ConvertTo(integers, hn::Mul(hn::Sub(inside, hn::Set(d, first_)), hn::BitCast(d, scale)));
  }

 private:
  static constexpr float kMostSize = 1e18f;          // keeps all scales normal numbers
  static constexpr int kBias = 127, kMantissa = 23;  // of float32: bias of the exponent, bits of the mantissa

  // Returns the exponent of a size as float32 stores it.
  static int32_t ExponentOf(float size) { return BitCast<int32_t>(size) >> kMantissa; }

  // Returns the exponent of two of the size that ends a step.
  int ExponentBehind(int32_t step) const { return exponent_ + 2 * (step + 1) - kBias; }

  int32_t Step(float size) const { return std::clamp(ExponentOf(size) - exponent_, 0, 2 * steps_ - 1) / 2; }

  int32_t Cell(float middle, int32_t step) const {
    return static_cast<int32_t>((middle - first_) * scale_[step]);
  }

  float first_ = 0, last_ = 0;         // the least and the largest middle that is not moved to an outer cell
  int32_t exponent_ = 0;               // stored exponent of the sizes of step 0
  int32_t steps_ = 1;                  // number of steps
  std::array<float, kSteps> most_{};   // by step: the size that ends it
  std::array<float, kSteps> scale_{};  // by step: cells for each unit of a middle
  std::array<int32_t, kSteps> cells_{};  // by step: number of cells
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
