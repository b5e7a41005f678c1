// SPDX-License-Identifier: Apache-2.0
// Loads and stores of vectors. Memory of float32, float16 and bfloat16 becomes vectors of float32; memory of
// float64 becomes vectors of float64. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_SIMD_INL_H_
#undef AVO_OP_CPU_COMMON_SIMD_INL_H_
#else
#define AVO_OP_CPU_COMMON_SIMD_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/tensors/element.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads Lanes(d) elements from `from`, which need not be aligned.
template <class D>
HWY_INLINE hn::Vec<D> LoadFloat(D d, const float *from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadFloat(D d, const double *from) {
  return hn::LoadU(d, from);
}

// Converts half types to float32. The lower half of each lane holds their bits, the upper half is zero.
template <class D>
HWY_INLINE hn::Vec<D> WidenBits(D d, hn::Vec<hn::RebindToUnsigned<D>> bits, BFloat16) {
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}
template <class D>
HWY_INLINE hn::Vec<D> WidenBits(D d, hn::Vec<hn::RebindToUnsigned<D>> raw, Float16) {
#if HWY_TARGET == HWY_SSE2
  // SSE2 has no instruction for this. A product moves the exponent, also for subnormals. Inf and NaN keep
  // their payload.
  const hn::RebindToUnsigned<D> bits;
  const auto sign = hn::ShiftLeft<16>(hn::And(raw, hn::Set(bits, 0x8000u)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(raw, hn::Set(bits, 0x7fffu)));
  const auto finite = hn::BitCast(bits, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
  const auto other = hn::Or(magnitude, hn::Set(bits, 0x70000000u));
  const auto is_finite = hn::Lt(magnitude, hn::Set(bits, 0x0f800000u));
  return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(is_finite, finite, other)));
#else
  const hn::Rebind<uint16_t, D> halves;
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), hn::TruncateTo(halves, raw)));
#endif
}

// Converts as many half types, given as bits, as a vector of D has lanes.
template <class D>
HWY_INLINE hn::Vec<D> WidenHalves(D d, hn::Vec<hn::Rebind<uint16_t, D>> raw, BFloat16) {
  return WidenBits(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), raw), BFloat16{});
}
template <class D>
HWY_INLINE hn::Vec<D> WidenHalves(D d, hn::Vec<hn::Rebind<uint16_t, D>> raw, Float16) {
#if HWY_TARGET == HWY_SSE2
  return WidenBits(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), raw), Float16{});
#else
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), raw));
#endif
}
template <class D, typename T, std::enable_if_t<sizeof(T) == 2> * = nullptr>
HWY_INLINE hn::Vec<D> LoadFloat(D d, const T *from) {
  const hn::Rebind<uint16_t, D> halves;
  return WidenHalves(d, hn::LoadU(halves, reinterpret_cast<const uint16_t *>(from)), T{});
}

// Stores Lanes(d) elements to `to`, which need not be aligned. Rounds to nearest even, as FromFloat does.
template <class D>
HWY_INLINE void StoreFloat(hn::Vec<D> value, D d, float *to) {
  hn::StoreU(value, d, to);
}
template <class D>
HWY_INLINE void StoreFloat(hn::Vec<D> value, D d, double *to) {
  hn::StoreU(value, d, to);
}
template <class D>
HWY_INLINE void StoreFloat(hn::Vec<D> value, D, BFloat16 *to) {
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<uint16_t, D> halves;
  const auto raw = hn::BitCast(bits, value);
  const auto high = hn::ShiftRight<16>(raw);
  const auto odd = hn::And(high, hn::Set(bits, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(raw, hn::Set(bits, 0x7fff)), odd));
  // Rounding could turn a NaN into infinity or zero, so a NaN is not rounded, but becomes quiet.
  const auto quiet = hn::Or(high, hn::Set(bits, 0x40));
  const auto nan = hn::RebindMask(bits, hn::IsNaN(value));
  hn::StoreU(hn::TruncateTo(halves, hn::IfThenElse(nan, quiet, rounded)), halves,
             reinterpret_cast<uint16_t *>(to));
}
template <class D>
HWY_INLINE void StoreFloat(hn::Vec<D> value, [[maybe_unused]] D d, Float16 *to) {
#if HWY_TARGET == HWY_SSE2
  float values[hn::MaxLanes(d)];
  hn::StoreU(value, d, values);
  for (size_t i = 0; i < hn::Lanes(d); ++i) to[i] = FromFloat<Float16>(values[i]);
#else
  const hn::Rebind<hwy::float16_t, D> halves;
  hn::StoreU(hn::DemoteTo(halves, value), halves, reinterpret_cast<hwy::float16_t *>(to));
#endif
}

// Stores past the caches where T is the type of the lanes, and as StoreFloat does otherwise. `to` is aligned
// to a vector.
template <class D, typename T>
HWY_INLINE void StreamFloat(hn::Vec<D> value, D d, T *to) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
    hn::Stream(value, d, to);
  } else {
    StoreFloat(value, d, to);
  }
}

// Calls body(lane) for each lane whose bit of the mask is set.
template <class D, class Body>
HWY_INLINE void ForLanes(D d, hn::Mask<D> mask, const Body &body) {
  for (uint64_t bits = hn::BitsFromMask(d, mask); bits != 0; bits &= bits - 1) {
    body(static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)));
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
