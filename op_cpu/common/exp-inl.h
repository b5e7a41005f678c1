// SPDX-License-Identifier: Apache-2.0
// The exponential function. Compiled once for each instruction set, and the same number with all of them.
#if defined(AVO_OP_CPU_COMMON_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_EXP_INL_H_
#undef AVO_OP_CPU_COMMON_EXP_INL_H_
#else
#define AVO_OP_CPU_COMMON_EXP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double Factorial(int n) { return n < 2 ? 1.0 : n * Factorial(n - 1); }

// exp(x) in float64, right to 2^-46 of it; 0 below -708, NaN for NaN. Not for x above 709.
template <class D>
HWY_INLINE hn::Vec<D> Exp64(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> integers;
  // x = n ln 2 + r, |r| <= ln(2)/2: the power of two goes into the exponent, 11 terms of the series are right
  // to 2^-47.
  const auto n = hn::Round(hn::Mul(hn::Max(x, hn::Set(d, -708.0)), hn::Set(d, 1.4426950408889634)));
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, 0x1.62e42feep-1))),
                         hn::Mul(n, hn::Set(d, 0x1.a39ef35793c76p-33)));
  // Terms in pairs, then pairs of those, so that none waits for all before it.
  const auto two = [&](int term, hn::Vec<D> x) {
    return hn::Add(hn::Set(d, 1.0 / Factorial(term)), hn::Mul(x, hn::Set(d, 1.0 / Factorial(term + 1))));
  };
  const auto r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2), r8 = hn::Mul(r4, r4);
  const auto first = hn::Add(two(0, r), hn::Mul(r2, two(2, r)));
  const auto second = hn::Add(two(4, r), hn::Mul(r2, two(6, r)));
  const auto third = hn::Add(two(8, r), hn::Mul(r2, two(10, r)));
  const auto sum = hn::Add(hn::Add(first, hn::Mul(r4, second)), hn::Mul(r8, third));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, 1023)));
  const auto value = hn::Mul(sum, hn::BitCast(d, power));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -708.0)), hn::Zero(d), value);
}

// exp(x) of x <= 0, computed in float64 and rounded once.
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
