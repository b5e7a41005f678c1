// SPDX-License-Identifier: Apache-2.0
// Loads and stores fewer elements than a vector has. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_PARTIAL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_PARTIAL_VECTORS_INL_H_
#undef AVO_OP_CPU_COMMON_PARTIAL_VECTORS_INL_H_
#else
#define AVO_OP_CPU_COMMON_PARTIAL_VECTORS_INL_H_
#endif

#include <type_traits>

#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T *from, size_t count) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
    return hn::LoadN(d, from, count);
  } else {
    const hn::Rebind<uint16_t, D> halves;
    return WidenHalves(d, hn::LoadN(halves, reinterpret_cast<const uint16_t *>(from), count), T{});
  }
}

template <class D, typename T>
HWY_INLINE void StoreFirst(hn::Vec<D> value, D d, T *to, size_t count) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
    hn::StoreN(value, d, to, count);
  } else {
    const hn::Rebind<uint16_t, D> halves;
    T elements[hn::MaxLanes(d)];
    StoreFloat(value, d, elements);
    hn::StoreN(hn::LoadU(halves, reinterpret_cast<const uint16_t *>(elements)), halves,
               reinterpret_cast<uint16_t *>(to), count);
  }
}

// Loads the first `count` lanes, none where it is below 1, all where it is large. The others are 0.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadUpTo(D d, const T *from, int64_t count) {
  if (count >= static_cast<int64_t>(hn::Lanes(d))) return LoadFloat(d, from);
  return count > 0 ? LoadFirst(d, from, count) : hn::Zero(d);
}

// Stores the first `count` lanes, none where it is below 1, all where it is large. With `stream`, whole
// vectors go around the caches, to a place that is a multiple of the bytes of a vector.
template <class D, typename T>
HWY_INLINE void StoreUpTo(hn::Vec<D> value, D d, T *to, int64_t count, bool stream) {
  if (count < static_cast<int64_t>(hn::Lanes(d))) {
    if (count > 0) StoreFirst(value, d, to, count);
  } else if (stream) {
    StreamFloat(value, d, to);
  } else {
    StoreFloat(value, d, to);
  }
}

// Converts elements that follow each other to the type that they are computed in, or rounds them from it.
template <typename From, typename To>
void ConvertLine(const From *from, int64_t count, To *to) {
  const hn::ScalableTag<Compute<To>> d;
  for (int64_t x = 0; x < count; x += hn::Lanes(d)) {
    StoreUpTo(LoadUpTo(d, from + x, count - x), d, to + x, count - x, false);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
