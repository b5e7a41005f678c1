// SPDX-License-Identifier: Apache-2.0
// Types of elements in memory and of computation. Kernels compute float64 in float64, and all other floating
// dtypes in float32. Conversions round to nearest even.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "op_host/common/tensors/tensor.h"

namespace avo {

template <typename To, typename From>
To BitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

struct Float16 {
  uint16_t bits;
};

struct BFloat16 {
  uint16_t bits;
};

inline float ToFloat(float value) { return value; }

float ToFloat(double) = delete;  // it would lose bits; Widen keeps them

inline float ToFloat(BFloat16 value) { return BitCast<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float ToFloat(Float16 value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(value.bits & 0x7fffu) << 13;
  // Inf and NaN keep their payload. For all others, also subnormals, a product moves the exponent.
  if (magnitude >= 0x0f800000u) return BitCast<float>(sign | 0x70000000u | magnitude);
  return BitCast<float>(sign | BitCast<uint32_t>(BitCast<float>(magnitude) * 0x1p112f));
}

// Converts an element to the type that it is computed in and compared by: float32 for half types, its own
// type for all others.
template <typename T>
T Widen(T value) {
  return value;
}
inline float Widen(Float16 value) { return ToFloat(value); }
inline float Widen(BFloat16 value) { return ToFloat(value); }

template <typename T>
using Compute = decltype(Widen(T{}));

template <typename T>
T FromFloat(float value);

template <>
inline float FromFloat<float>(float value) {
  return value;
}

template <>
inline BFloat16 FromFloat<BFloat16>(float value) {
  const uint32_t bits = BitCast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

template <>
inline Float16 FromFloat<Float16>(float value) {
  const uint32_t bits = BitCast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return {static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu))};
  }
  if (magnitude >= 0x477ff000u)
    return {static_cast<uint16_t>(sign | 0x7c00u)};  // rounds to 65536 or is larger
  if (magnitude < 0x38800000u) {
    // The result is subnormal. After adding 0.5, the last bit of the sum is 2^-24, so the processor rounds
    // there.
    const float rounded = BitCast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (BitCast<uint32_t>(rounded) - 0x3f000000u))};
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13))};
}

// Converts a computed value to an element of the result.
template <typename T>
T Narrow(Compute<T> value) {
  if constexpr (std::is_same_v<T, Compute<T>>) {
    return value;
  } else {
    return FromFloat<T>(value);
  }
}

// Calls body(T{}) with the element type of a floating dtype that is computed in float32. Returns false for
// any other dtype.
template <typename Body>
bool DispatchFloat32(DType dtype, Body body) {
  switch (dtype) {
    case DType::kFloat32:
      body(float{});
      return true;
    case DType::kFloat16:
      body(Float16{});
      return true;
    case DType::kBFloat16:
      body(BFloat16{});
      return true;
    default:
      return false;
  }
}

// Does the same for every floating dtype.
template <typename Body>
bool DispatchFloat(DType dtype, Body body) {
  if (dtype != DType::kFloat64) return DispatchFloat32(dtype, body);
  body(double{});
  return true;
}

// Does the same for every dtype; bool is uint8_t.
template <typename Body>
bool DispatchElement(DType dtype, Body body) {
  switch (dtype) {
    case DType::kInt8:
      body(int8_t{});
      return true;
    case DType::kInt16:
      body(int16_t{});
      return true;
    case DType::kInt32:
      body(int32_t{});
      return true;
    case DType::kInt64:
      body(int64_t{});
      return true;
    case DType::kUInt8:
    case DType::kBool:
      body(uint8_t{});
      return true;
    default:
      return DispatchFloat(dtype, body);
  }
}

}  // namespace avo
