// SPDX-License-Identifier: Apache-2.0
// Which tap of a window is its maximum: the first of the largest elements, or the last NaN. Compiled once for
// each instruction set.
#if defined(AVO_OP_CPU_POOLING_WINDOW_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_WINDOW_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_WINDOW_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_WINDOW_MAXIMA_INL_H_
#endif

#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/pooling/window_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Taps of a window are numbered in row-major order; a number has as many bits as what is computed with.
template <typename C>
using TapTag = hn::RebindToSigned<hn::ScalableTag<C>>;
template <typename C>
using TapNumber = hn::TFromD<TapTag<C>>;

// One tap of neighbouring windows: its address in the first window, and its number.
template <typename From>
struct WindowTap {
  const From *from;
  TapNumber<Compute<From>> number;
};

// A maximum of operands that are not NaN.
struct LargestNumber {
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::Max(a, b);
  }
};

// Gives the number of the first of the largest taps of Lanes(d) windows, and in `best` the largest elements.
// `offset`: elements from the first window to these; kTaps: the count, or 0 where the compiler does not know
// it.
//
// The largest elements are found first, then the taps that they are, from the last to the first: 5
// instructions for a tap at AVX-512, and 4 where none is NaN, instead of 12.
template <class Op, size_t kTaps, class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> FindMaxima(D d, const WindowTap<From> *taps, size_t count,
                                                     int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  if (kTaps != 0) count = kTaps;
  best = LoadFloat(d, taps[0].from + offset);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) best = Op::Combine(best, LoadFloat(d, taps[k].from + offset));
  auto found = hn::Set(numbers, taps[count - 1].number);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) {
    const WindowTap<From> &tap = taps[count - 1 - k];
    const auto equal = hn::RebindMask(numbers, hn::Eq(LoadFloat(d, tap.from + offset), best));
    found = hn::IfThenElse(equal, hn::Set(numbers, tap.number), found);
  }
  return found;
}

// The same where elements may be NaN: the last NaN of a window is its maximum.
template <class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> FindMaximaOrNaN(D d, const WindowTap<From> *taps, size_t count,
                                                          int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  auto found = FindMaxima<Largest, 0>(d, taps, count, offset, best);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(best, best)))) return found;
  for (size_t k = 0; k < count; ++k) {
    const auto nan = hn::RebindMask(numbers, hn::IsNaN(LoadFloat(d, taps[k].from + offset)));
    found = hn::IfThenElse(nan, hn::Set(numbers, taps[k].number), found);
  }
  return found;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
