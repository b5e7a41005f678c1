// SPDX-License-Identifier: Apache-2.0
// Sizes and places of boxes along x or y, as cells take them. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_BOX_AXIS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_BOX_AXIS_INL_H_
#undef AVO_OP_CPU_COMMON_BOX_AXIS_INL_H_
#else
#define AVO_OP_CPU_COMMON_BOX_AXIS_INL_H_
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

// Sizes are in steps of two octaves. Middles, which are doubled, the sum of both ends, are in cells, in
// proportion to the step of the size. Larger ones never have a smaller step or cell, be they rounded or out
// of all bounds: what is between two middles is in the cells from the one's to the other's.
class BoxAxis {
 public:
  static constexpr int kSteps = 12;

  // Chooses steps and bounds from middles and sizes of some boxes; both are sorted. False where they are out
  // of proportion.
  bool Measure(std::vector<float> *middles, std::vector<float> *sizes) {
    std::sort(middles->begin(), middles->end());
    std::sort(sizes->begin(), sizes->end());
    // A few boxes far from the others, or small ones, do not make all cells large or small.
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

  // Makes cells that are a part of the largest size of a step, and returns how many those of all steps are.
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
  const std::array<int32_t, kSteps> &cells() const { return cells_; }  // by step

  // Cells in reach of a box, in the steps from `low` to `high`.
  struct Reach {
    int32_t low, high;
    std::array<int32_t, kSteps> first, last;
  };
  // Of those whose ratio of sizes is not below `least` and whose overlap could be above it.
  Reach ReachOf(float size, float middle, float least, float offset) const {
    // Overlaps and middles are rounded, sizes where one is added.
    const float part = (1 - least) / (1 + least) * 1.001f, largest = size / least;
    const float more = std::abs(middle) * 1e-6f + offset * 1e-5f + 1e-37f;
    Reach reach;
    reach.low = Step(size * least);
    reach.high = Step(largest);
    for (int32_t step = reach.low; step <= reach.high; ++step) {
      const float most = step < steps_ - 1 ? std::min(most_[step], largest) : largest;
      const float far = (most + size) * part + more;
      // All of them for NaN, where the middle is infinite.
      reach.first[step] = Cell(std::min(std::max(first_, middle - far), last_), step);
      reach.last[step] = Cell(std::max(std::min(last_, middle + far), first_), step);
    }
    return reach;
  }

  template <class D, class DI = hn::RebindToSigned<D>>
  HWY_INLINE hn::Vec<DI> Steps(D, hn::Vec<D> sizes) const {
    const DI d;
    const auto above = hn::Sub(hn::ShiftRight<kMantissa>(hn::BitCast(d, sizes)), hn::Set(d, exponent_));
    return hn::ShiftRight<1>(hn::Min(hn::Max(above, hn::Zero(d)), hn::Set(d, 2 * steps_ - 1)));
  }

  template <class D, class DI = hn::RebindToSigned<D>>
  HWY_INLINE hn::Vec<DI> Cells(D d, hn::Vec<D> middles, hn::Vec<DI> steps) const {
    const DI integers;
    const auto inside = hn::Min(hn::Max(middles, hn::Set(d, first_)), hn::Set(d, last_));
    const auto scale =
        hn::Sub(hn::Set(integers, BitCast<int32_t>(scale_[0])), hn::ShiftLeft<kMantissa + 1>(steps));
    return hn::ConvertTo(integers, hn::Mul(hn::Sub(inside, hn::Set(d, first_)), hn::BitCast(d, scale)));
  }

 private:
  static constexpr float kMostSize = 1e18f;  // so that all scales are normal
  static constexpr int kBias = 127, kMantissa = 23;

  static int32_t ExponentOf(float size) { return BitCast<int32_t>(size) >> kMantissa; }

  // Of two, for the size that ends a step.
  int ExponentBehind(int32_t step) const { return exponent_ + 2 * (step + 1) - kBias; }

  int32_t Step(float size) const { return std::clamp(ExponentOf(size) - exponent_, 0, 2 * steps_ - 1) / 2; }

  int32_t Cell(float middle, int32_t step) const {
    return static_cast<int32_t>((middle - first_) * scale_[step]);
  }

  float first_ = 0, last_ = 0;  // middle with a cell of its own
  int32_t exponent_ = 0;        // of the first step, which has all smaller sizes too
  int32_t steps_ = 1;           // the last one has all larger sizes too
  // By step: the size that ends it, cells for a unit and in all.
  std::array<float, kSteps> most_{}, scale_{};
  std::array<int32_t, kSteps> cells_{};
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
