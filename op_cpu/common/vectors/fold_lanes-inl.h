// SPDX-License-Identifier: Apache-2.0
// Sums over lanes in an order that does not depend on how many lanes a vector has: they are summed as if each
// vector had 64 bytes, so that results have the same bits on all instruction sets. Compiled once for each of
// them.
#if defined(AVO_OP_CPU_COMMON_FOLD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_FOLD_LANES_INL_H_
#undef AVO_OP_CPU_COMMON_FOLD_LANES_INL_H_
#else
#define AVO_OP_CPU_COMMON_FOLD_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes of 64 bytes, and the vectors that have them together: lane i of vector v is lane v * Lanes(d) + i.
template <typename T>
constexpr int64_t kLongLanes = 64 / sizeof(T);
template <class D>
constexpr int64_t kLongVectors = kLongLanes<hn::TFromD<D>> / static_cast<int64_t>(hn::MaxLanes(D()));

struct Total {
  template <class D>
  static HWY_INLINE hn::Vec<D> Identity(D d) {
    return hn::Zero(d);
  }
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::Add(a, b);
  }
};

// Combines the upper half of the lanes with the lower half, until so many are left as one vector has.
template <class Op, class V, size_t kCount>
HWY_INLINE V FoldVectors(V (&vectors)[kCount]) {
#pragma GCC unroll 4
  for (size_t half = kCount / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (size_t i = 0; i < half; ++i) vectors[i] = Op::Combine(vectors[i], vectors[i + half]);
  }
  return vectors[0];
}

// Combines the lanes of a vector in the same way.
template <class Op, class D>
HWY_INLINE hn::TFromD<D> FoldLanes([[maybe_unused]] D d, hn::Vec<D> value) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(value);
  } else {
    const hn::Half<D> half;
    return FoldLanes<Op>(half, Op::Combine(hn::LowerHalf(half, value), hn::UpperHalf(half, value)));
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
