// SPDX-License-Identifier: Apache-2.0
// The exponential function. Compiled once for each instruction set; the results are the same with all of
// them.
#if defined(AVO_OP_CPU_BOXES_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_EXP_INL_H_
#undef AVO_OP_CPU_BOXES_EXP_INL_H_
#else
#define AVO_OP_CPU_BOXES_EXP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double Factorial(int n) { return n < 2 ? 1.0 : n * Factorial(n - 1); }

// Returns two terms of the series of exp(x), divided by x^term: 1 / term! + x / (term + 1)!
template <int term, class D>
HWY_INLINE hn::Vec<D> TwoTerms(D d, hn::Vec<D> x) {
  constexpr double kThis = 1.0 / Factorial(term), kNext = 1.0 / Factorial(term + 1);
  return hn::Add(hn::Set(d, kThis), hn::Mul(x, hn::Set(d, kNext)));
}

// Returns exp(x) in float64 with a relative error below 2^-46; 0 for x below -708, NaN for NaN. x must not be
// above 709.
template <class D>
HWY_INLINE hn::Vec<D> Exp64(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> integers;
  // x = n ln 2 + r with |r| <= ln(2) / 2. The power of two becomes the exponent of the result; of exp(r), 11
  // terms of the series have an error below 2^-47.
  const auto n = hn::Round(hn::Mul(hn::Max(x, hn::Set(d, -708.0)), hn::Set(d, 1.4426950408889634)));
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, 0x1.62e42feep-1))),
                         hn::Mul(n, hn::Set(d, 0x1.a39ef35793c76p-33)));
  const auto r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2), r8 = hn::Mul(r4, r4);
  // The sum is a tree of pairs of terms, so that no term waits for all terms before it.
  const auto first = hn::Add(TwoTerms<0>(d, r), hn::Mul(r2, TwoTerms<2>(d, r)));
  const auto second = hn::Add(TwoTerms<4>(d, r), hn::Mul(r2, TwoTerms<6>(d, r)));
  const auto third = hn::Add(TwoTerms<8>(d, r), hn::Mul(r2, TwoTerms<10>(d, r)));
  const auto sum = hn::Add(hn::Add(first, hn::Mul(r4, second)), hn::Mul(r8, third));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, 1023)));
  const auto value = hn::Mul(sum, hn::BitCast(d, power));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -708.0)), hn::Zero(d), value);
}

// Returns exp(x) for x <= 0, computed in float64 and rounded once.
template <class D>
HWY_INLINE hn::Vec<D> ExpRounded(D d, hn::Vec<D> x) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto lower = hn::DemoteTo(half, Exp64(wide, hn::PromoteLowerTo(wide, x)));
  const auto upper = hn::DemoteTo(half, Exp64(wide, hn::PromoteUpperTo(wide, x)));
  return hn::Combine(d, upper, lower);
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
