// SPDX-License-Identifier: Apache-2.0
// Leaders of windows of maxima: the first of the largest elements or the last NaN. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_LEADERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LEADERS_INL_H_
#undef AVO_OP_CPU_COMMON_LEADERS_INL_H_
#else
#define AVO_OP_CPU_COMMON_LEADERS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/pooling/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Numbers of elements, of as many bits as what is computed with.
template <typename C>
using NumberTag = hn::RebindToSigned<hn::ScalableTag<C>>;
template <typename C>
using Number = hn::TFromD<NumberTag<C>>;

// An element of windows side by side: where those of all windows begin, and its number in a window.
template <typename From>
struct WindowTap {
  const From *from;
  Number<Compute<From>> number;
};

// A maximum of what is known to be numbers.
struct LargestNumber {
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::Max(a, b);
  }
};

// The numbers of the leaders of Lanes(d) windows, and the largest elements. First these alone, then which
// element is it, from the last to the first: 5 instructions an element at AVX-512 instead of 12, and 4 where
// none is NaN.
template <class Op, size_t kTaps, class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> LeadersOf(D d, const WindowTap<From> *taps, size_t count,
                                                    int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  if (kTaps != 0) count = kTaps;
  best = LoadFloat(d, taps[0].from + offset);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) best = Op::Combine(best, LoadFloat(d, taps[k].from + offset));
  auto leader = hn::Set(numbers, taps[count - 1].number);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) {
    const WindowTap<From> &tap = taps[count - 1 - k];
    const auto leads = hn::RebindMask(numbers, hn::Eq(LoadFloat(d, tap.from + offset), best));
    leader = hn::IfThenElse(leads, hn::Set(numbers, tap.number), leader);
  }
  return leader;
}

// The same where some elements may be NaN.
template <class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> LeadersOrNaN(D d, const WindowTap<From> *taps, size_t count,
                                                       int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  auto leader = LeadersOf<Largest, 0>(d, taps, count, offset, best);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(best, best)))) return leader;
  for (size_t k = 0; k < count; ++k) {
    const auto nan = hn::RebindMask(numbers, hn::IsNaN(LoadFloat(d, taps[k].from + offset)));
    leader = hn::IfThenElse(nan, hn::Set(numbers, taps[k].number), leader);
  }
  return leader;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
