// SPDX-License-Identifier: Apache-2.0
// Vectors of keys: the values by which elements are ordered. Keys of the half types are float32, those of
// integers of less than 4 bytes are int32, and all other elements are their own keys. This file is compiled
// once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_KEYS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_KEYS_INL_H_
#undef AVO_OP_CPU_COMMON_KEYS_INL_H_
#else
#define AVO_OP_CPU_COMMON_KEYS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using KeyOf = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), int32_t, Compute<T>>;

// Loads Lanes(d) elements from `from`, which need not be aligned, as keys.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadKey(D d, const T *from) {
  using Key = hn::TFromD<D>;
  if constexpr (std::is_same_v<Key, T>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<Key, float>) {
    return LoadFloat(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

// Stores a vector. With `stream` it goes around the caches; then `to` must be aligned to the size of the
// vector. Fewer than 16 bytes, as 8 lanes of int8 have, cannot: such a store would write 16 bytes.
template <class D>
HWY_INLINE void Put(hn::Vec<D> value, D d, hn::TFromD<D> *to, bool stream) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) >= 16) {
    if (stream) return hn::Stream(value, d, to);
  }
  hn::StoreU(value, d, to);
}

// Stores keys as the elements of T of which they were loaded.
template <class D, typename T>
HWY_INLINE void PutKey(hn::Vec<D> key, D d, T *to, bool stream) {
  if constexpr (std::is_same_v<hn::TFromD<D>, T>) {
    Put(key, d, to, stream);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<uint16_t, D> halves;
    const auto high = hn::ShiftRight<16>(hn::BitCast(bits, key));
    Put(hn::TruncateTo(halves, high), halves, reinterpret_cast<uint16_t *>(to), stream);
  } else if constexpr (std::is_same_v<T, Float16>) {
    StoreFloat(key, d, to);
  } else {
    const hn::Rebind<T, D> elements;
    Put(hn::DemoteTo(elements, key), elements, to, stream);
  }
}

template <class D>
HWY_INLINE hn::Mask<D> IsNaNKey(D d, hn::Vec<D> key) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::IsNaN(key);
  } else {
    return hn::MaskFalse(d);
  }
}

template <class D>
HWY_INLINE hn::Mask<D> IsEitherNaNKey(D d, hn::Vec<D> a, hn::Vec<D> b) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::IsEitherNaN(a, b);
  } else {
    return hn::MaskFalse(d);
  }
}

// Stores Lanes(d) indices of type I: `base` plus the number in each lane.
template <class D, typename I>
HWY_INLINE void PutIndices(hn::Vec<D> index, D d, int64_t base, I *to, bool stream) {
  using Lane = hn::TFromD<D>;
  if constexpr (std::is_same_v<Lane, I>) {
    Put(hn::Add(index, hn::Set(d, static_cast<I>(base))), d, to, stream);
  } else if constexpr (sizeof(Lane) < sizeof(I)) {
    const hn::Repartition<I, D> wide;
    const auto first = hn::Set(wide, base);
    Put(hn::Add(hn::PromoteLowerTo(wide, index), first), wide, to, stream);
    Put(hn::Add(hn::PromoteUpperTo(wide, index), first), wide, to + hn::Lanes(wide), stream);
  } else {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<I, D> narrow;
    const hn::RebindToUnsigned<decltype(narrow)> low;
    const auto sum = hn::BitCast(bits, hn::Add(index, hn::Set(d, base)));
    Put(hn::BitCast(narrow, hn::TruncateTo(low, sum)), narrow, to, stream);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
