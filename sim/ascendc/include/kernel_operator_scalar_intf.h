// SPDX-License-Identifier: Apache-2.0
// Functions of the scalar unit that C++ has no operator for.
#pragma once

#include "kernel_tensor.h"
#include "sim/cast.h"

namespace AscendC {

template <int countValue>
__aicore__ inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "countValue must be 0 or 1");
  return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
__aicore__ inline int64_t GetBitCount(uint64_t valueIn) {
  return ScalarGetCountOfValue<countValue>(valueIn);
}

__aicore__ inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
  return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
__aicore__ inline int64_t CountLeadingZero(uint64_t valueIn) { return ScalarCountLeadingZero(valueIn); }

// Counts the bits after the sign bit that equal it. Returns -1 for 0 and -1, whose bits are all equal.
__aicore__ inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  const uint64_t bits = valueIn < 0 ? ~static_cast<uint64_t>(valueIn) : static_cast<uint64_t>(valueIn);
  return bits == 0 ? -1 : __builtin_clzll(bits) - 1;
}

// Returns the position of the lowest bit of that value, or -1 where there is none.
template <int countValue>
__aicore__ inline int64_t ScalarGetSFFValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "countValue must be 0 or 1");
  const uint64_t bits = countValue == 1 ? valueIn : ~valueIn;
  return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
__aicore__ inline int64_t GetSFFValue(uint64_t valueIn) {
  return ScalarGetSFFValue<countValue>(valueIn);
}

// Returns the bits of one type as a value of another type.
template <typename T, typename U>
__aicore__ constexpr U GetScalarBitcodeValue(T scalarValue) {
  static_assert(sizeof(T) == sizeof(U), "GetScalarBitcodeValue: types must be of one size");
  return __builtin_bit_cast(U, scalarValue);
}

// The bits as an unsigned number of the same size.
template <typename T>
__aicore__ constexpr auto GetScalarBitcodeValue(T scalarValue) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  return GetScalarBitcodeValue<T, Bits>(scalarValue);
}

// Converts by the rounding mode: float to half (odd) and int32_t, half to int32_t, int32_t to float.
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U ScalarCast(T valueIn) {
  static_assert(sim::ModesOf(sim::CastPair<T, U>()) != 0, "ScalarCast: no conversion between these types");
  return sim::CastLane<U, T, roundMode>{}(sim::Widen(valueIn));
}
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U Cast(T valueIn) {
  return ScalarCast<T, U, roundMode>(valueIn);
}
// Reads and writes one value of global memory past the scalar unit's data cache.
template <typename T>
__aicore__ inline T ReadGmByPassDCache(__gm__ T *addr, sim::Where where = sim::Where::Here()) {
  return sim::ScalarLoad<T>(sim::Space::GM, reinterpret_cast<uint64_t>(addr), 0, where, false);
}
template <typename T>
__aicore__ inline void WriteGmByPassDCache(__gm__ T *addr, T value, sim::Where where = sim::Where::Here()) {
  sim::ScalarStore<T>(sim::Space::GM, reinterpret_cast<uint64_t>(addr), 0, value, where, false);
}

// Waits for `count` cycles or so: nothing depends on it.
template <int count = 1>
__aicore__ inline void Nop() {}

__aicore__ inline bfloat16_t Cast(const float &fVal) { return bfloat16_t(fVal); }
__aicore__ inline float Cast(const bfloat16_t &bVal) { return static_cast<float>(bVal); }
__aicore__ inline bfloat16_t ToBfloat16(const float &fVal) { return Cast(fVal); }
__aicore__ inline float ToFloat(const bfloat16_t &bVal) { return Cast(bVal); }

}  // namespace AscendC
