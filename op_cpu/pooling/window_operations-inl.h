// SPDX-License-Identifier: Apache-2.0
// How two elements of a window are combined: by Largest or Total. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_WINDOW_OPERATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_WINDOW_OPERATIONS_INL_H_
#undef AVO_OP_CPU_POOLING_WINDOW_OPERATIONS_INL_H_
#else
#define AVO_OP_CPU_POOLING_WINDOW_OPERATIONS_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A maximum that is NaN where either operand is NaN. Highway's Max gives b where one of them is NaN.
struct Largest {
  template <class D>
  static HWY_INLINE hn::Vec<D> Identity(D d) {
    return hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
  }
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::MaskedMaxOr(a, hn::Eq(a, a), a, b);
  }
};

// Finds the largest element of windows, one vector of windows at a time, and where it is. Elements come in
// row-major order: a larger one takes the place of the one before, and so does NaN.
template <bool kNaN, class V, class Places>
HWY_INLINE void TakeLarger(V value, Places here, V &best, Places &found) {
  const hn::DFromV<Places> places;
  auto larger = hn::Gt(value, best);
  if constexpr (kNaN) {
    larger = hn::Or(larger, hn::IsNaN(value));
    best = hn::IfThenElse(larger, value, best);
  } else {
    best = hn::Max(best, value);
  }
  found = hn::IfThenElse(hn::RebindMask(places, larger), here, found);
}

// Stores the first `count` lanes of a vector of places as indices.
template <class Places, typename I>
HWY_INLINE void StoreIndices(Places places, int64_t count, I *to) {
  const hn::DFromV<Places> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  hn::TFromD<decltype(d)> all[kLanes];
  hn::StoreU(places, d, all);
  if (count == kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) to[i] = static_cast<I>(all[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<I>(all[i]);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
