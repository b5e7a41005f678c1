// SPDX-License-Identifier: Apache-2.0
// Sample positions of linear resampling, a vector of outputs at a time. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_RESAMPLE_LINEAR_POSITIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_LINEAR_POSITIONS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_LINEAR_POSITIONS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_LINEAR_POSITIONS_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "op_cpu/resample/linear.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Steps along the outputs of a row. Lanes are outputs, and all numbers are whole numbers in float64, which is
// exact, or quotients of them. Weights are those of right samples.
template <typename Weight>
class LinearPositions {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

 public:
  using I32 = hn::Rebind<int32_t, D>;
  using W = hn::Rebind<Weight, D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // The samples of a vector of outputs.
  struct Samples {
    hn::Vec<I32> left, right;
    hn::Vec<W> left_weight, right_weight;
  };

  // Begins at output `first`.
  LinearPositions(int64_t length, int64_t out_length, bool align_corners, double scales, int64_t first)
      : last_(static_cast<double>(length - 1)) {
    const D d;
    const auto ratio = RatioOf(length, out_length, align_corners, scales);
    by_scales_ = !ratio;
    if (by_scales_) {
      unit_ = 1.0 / scales;
      left_ = hn::Iota(d, static_cast<double>(first));
      return;
    }
    const int64_t step = ratio->step, denominator = ratio->denominator;
    denominator_ = static_cast<double>(denominator);
    unit_ = 1.0 / denominator_;
    whole_ = static_cast<double>(kLanes * step / denominator);
    fraction_ = static_cast<double>(kLanes * step % denominator);
    const int64_t at = ratio->first + first * step;
    int64_t left = at / denominator, remainder = at % denominator;
    if (remainder < 0) {
      --left;
      remainder += denominator;
    }
    HWY_ALIGN double lefts[kLanes], remainders[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      lefts[lane] = static_cast<double>(left);
      remainders[lane] = static_cast<double>(remainder);
      remainder += step % denominator;
      const bool carry = remainder >= denominator;
      remainder -= carry ? denominator : 0;
      left += step / denominator + carry;
    }
    left_ = hn::Load(d, lefts);
    remainder_ = hn::Load(d, remainders);
  }

  // Gives the samples of the next vector of outputs.
  HWY_INLINE Samples Next() {
    const D d;
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0), last = hn::Set(d, last_);
    V left, weight;
    if (by_scales_) {
      const V half = hn::Set(d, 0.5);
      const V position = hn::Sub(hn::Mul(hn::Add(left_, half), hn::Set(d, unit_)), half);
      const V inside = hn::Max(zero, position);
      left = hn::Floor(inside);
      weight = hn::Sub(inside, left);
      left_ = hn::Add(left_, hn::Set(d, static_cast<double>(kLanes)));
    } else {
      // A weight of float32 is rounded from a product with the inverse, because products take less time than
      // quotients. The error of the product is far smaller than that of the rounding.
      weight =
          kRounded ? hn::Mul(remainder_, hn::Set(d, unit_)) : hn::Div(remainder_, hn::Set(d, denominator_));
      // Positions before the first input are moved to it.
      weight = hn::IfThenElseZero(hn::Ge(left_, zero), weight);
      left = hn::Max(left_, zero);
      // Quotients and remainders are updated, as divisions would take longer than resampling a few dozen
      // rows.
      const V denominator = hn::Set(d, denominator_);
      remainder_ = hn::Add(remainder_, hn::Set(d, fraction_));
      const auto carry = hn::Ge(remainder_, denominator);
      remainder_ = hn::Sub(remainder_, hn::IfThenElseZero(carry, denominator));
      left_ = hn::Add(left_, hn::Add(hn::Set(d, whole_), hn::IfThenElseZero(carry, one)));
    }
    weight = hn::IfThenElse(hn::Gt(left, last), one, weight);
    left = hn::Min(left, last);
    const V right = hn::Min(hn::Add(left, one), last);
    return {hn::DemoteTo(I32(), left), hn::DemoteTo(I32(), right), Rounded(hn::Sub(one, weight)),
            Rounded(weight)};
  }

 private:
  static constexpr bool kRounded = sizeof(Weight) < sizeof(double);

  static HWY_INLINE hn::Vec<W> Rounded(V weight) {
    if constexpr (kRounded) {
      return hn::DemoteTo(W(), weight);
    } else {
      return weight;
    }
  }

  const double last_;  // the last input
  bool by_scales_;  // whether scales define the positions; then left_ has outputs, and unit_ their distance
  double denominator_ = 0, unit_ = 0, whole_ = 0, fraction_ = 0;
  V left_ = hn::Zero(D()), remainder_ = hn::Zero(D());
};

// Returns the samples of outputs [begin, end).
template <typename Weight>
LinearSamples<Weight> SampleLinear(int64_t length, int64_t out_length, bool align_corners, double scales,
                                   int64_t begin, int64_t end) {
  using Positions = LinearPositions<Weight>;
  const typename Positions::I32 i;
  const typename Positions::W w;
  constexpr int64_t kLanes = Positions::kLanes;
  Positions positions(length, out_length, align_corners, scales, begin);
  LinearSamples<Weight> samples;
  auto &[left, right, left_weight, right_weight] = samples;
  const auto resize = [&](int64_t count) {
    for (auto *indices : {&left, &right}) indices->resize(count);
    for (auto *weights : {&left_weight, &right_weight}) weights->resize(count);
  };
  // Whole vectors are stored.
  resize(hwy::RoundUpTo(end - begin, kLanes));
  for (int64_t o = 0; o < end - begin; o += kLanes) {
    const auto next = positions.Next();
    hn::StoreU(next.left, i, &left[o]);
    hn::StoreU(next.right, i, &right[o]);
    hn::StoreU(next.left_weight, w, &left_weight[o]);
    hn::StoreU(next.right_weight, w, &right_weight[o]);
  }
  resize(end - begin);
  return samples;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
