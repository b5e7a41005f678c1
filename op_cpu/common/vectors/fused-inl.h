// SPDX-License-Identifier: Apache-2.0
// Products and sums that are rounded once, on every instruction set: so results have the same bits on all of
// them. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_FUSED_INL_H_
#undef AVO_OP_CPU_COMMON_FUSED_INL_H_
#else
#define AVO_OP_CPU_COMMON_FUSED_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA
template <class V>
HWY_INLINE V FusedMulAdd(V a, V b, V sum) {
  return hn::MulAdd(a, b, sum);
}
#else
// SSE2 has no such instruction. float64 holds the product of two float32 exactly. Its sum with a third one is
// rounded to odd: where it is not exact, its last bit is 1. So rounding it again, to float32, gives the
// float32 that is nearest to the exact sum.
template <class D>
HWY_INLINE hn::Vec<D> SumToOdd(D d, hn::Vec<D> product, hn::Vec<D> addend) {
  const hn::RebindToSigned<D> bits;
  const auto sum = hn::Add(product, addend), part = hn::Sub(sum, product);
  const auto lost = hn::Add(hn::Sub(product, hn::Sub(sum, part)), hn::Sub(addend, part));
  // A sum whose last bit is 0 moves by one bit towards what is lost. That is NaN where the sum is infinite.
  const auto inexact = hn::RebindMask(bits, hn::Gt(hn::Abs(lost), hn::Zero(d)));
  const auto raw = hn::BitCast(bits, sum), one = hn::Set(bits, 1);
  const auto towards = hn::Or(hn::BroadcastSignBit(hn::BitCast(bits, hn::Xor(lost, sum))), one);
  const auto is_odd = hn::Neg(hn::And(raw, one));
  return hn::BitCast(d, hn::Add(raw, hn::AndNot(is_odd, hn::IfThenElseZero(inexact, towards))));
}

template <class V>
HWY_INLINE V FusedMulAdd(V a, V b, V sum) {
  const hn::DFromV<V> d;
  using T = hn::TFromD<decltype(d)>;
  if constexpr (std::is_same_v<T, float> && hn::MaxLanes(d) == 4) {
    const hn::Repartition<double, decltype(d)> wide;
    const hn::Half<decltype(d)> half;
    const auto low = SumToOdd(wide, hn::Mul(hn::PromoteLowerTo(wide, a), hn::PromoteLowerTo(wide, b)),
                              hn::PromoteLowerTo(wide, sum));
    const auto high = SumToOdd(wide, hn::Mul(hn::PromoteUpperTo(wide, a), hn::PromoteUpperTo(wide, b)),
                               hn::PromoteUpperTo(wide, sum));
    return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  } else {
    T factors[hn::MaxLanes(d)], others[hn::MaxLanes(d)], sums[hn::MaxLanes(d)];
    hn::StoreU(a, d, factors);
    hn::StoreU(b, d, others);
    hn::StoreU(sum, d, sums);
    for (size_t i = 0; i < hn::Lanes(d); ++i) sums[i] = std::fma(factors[i], others[i], sums[i]);
    return hn::LoadU(d, sums);
  }
}
#endif

// a * b - c.
template <class V>
HWY_INLINE V FusedMulSub(V a, V b, V c) {
  return FusedMulAdd(a, b, hn::Neg(c));
}

// sum - a * b.
template <class V>
HWY_INLINE V FusedNegMulAdd(V a, V b, V sum) {
  return FusedMulAdd(hn::Neg(a), b, sum);
}

// a * b + sum in lanes of `mask`, and `sum` in the others.
template <class M, class V>
HWY_INLINE V FusedMulAddWhere(M mask, V a, V b, V sum) {
#if HWY_NATIVE_FMA
  return hn::MaskedMulAddOr(sum, mask, a, b, sum);
#else
  return hn::IfThenElse(mask, FusedMulAdd(a, b, sum), sum);
#endif
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
