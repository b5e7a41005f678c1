// SPDX-License-Identifier: Apache-2.0
// A store of two vectors of float32, side by side in memory. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_STORE_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_STORE_PAIR_INL_H_
#undef AVO_OP_CPU_COMMON_STORE_PAIR_INL_H_
#else
#define AVO_OP_CPU_COMMON_STORE_PAIR_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounds to nearest even, so that the upper half of each lane is a bfloat16. The values must be sums and
// products of bfloat16: their NaNs are quiet and their lower bits are 0, so that rounding carries nothing
// into the upper bits. So NaNs need no test: 1.3 x for resampled bfloat16 at AVX-512.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> RoundUpperHalves(D, hn::Vec<D> value) {
  const hn::RebindToUnsigned<D> bits;
  const auto raw = hn::BitCast(bits, value);
  const auto odd = hn::TestBit(raw, hn::Set(bits, 0x10000));
  return hn::Add(raw, hn::IfThenElse(odd, hn::Set(bits, 0x8000), hn::Set(bits, 0x7fff)));
}

// Stores the lanes of a and then those of b, which are sums and products of elements of T. With kStream,
// stores past the caches, and `to` is aligned to a vector.
template <bool kStream, class D, typename T>
HWY_INLINE void StorePair(hn::Vec<D> a, hn::Vec<D> b, D d, T *to) {
  const hn::Repartition<uint16_t, D> halves;
  const auto store = [&](hn::Vec<decltype(halves)> bits) HWY_ATTR {
    if constexpr (kStream) {
      hn::Stream(bits, halves, reinterpret_cast<uint16_t *>(to));
    } else {
      hn::StoreU(bits, halves, reinterpret_cast<uint16_t *>(to));
    }
  };
  if constexpr (std::is_same_v<T, BFloat16>) {
    const auto low = RoundUpperHalves(d, a), high = RoundUpperHalves(d, b);
    store(hn::ConcatOdd(halves, hn::BitCast(halves, high), hn::BitCast(halves, low)));
#if HWY_TARGET != HWY_SSE2
  } else if constexpr (std::is_same_v<T, Float16>) {
    const hn::Repartition<hwy::float16_t, D> d16;
    const hn::Half<decltype(d16)> half;
    store(hn::BitCast(halves, hn::Combine(d16, hn::DemoteTo(half, b), hn::DemoteTo(half, a))));
#endif
  } else if constexpr (kStream) {
    StreamFloat(a, d, to);
    StreamFloat(b, d, to + hn::Lanes(d));
  } else {
    StoreFloat(a, d, to);
    StoreFloat(b, d, to + hn::Lanes(d));
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
