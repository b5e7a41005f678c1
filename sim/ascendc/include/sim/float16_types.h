// SPDX-License-Identifier: Apache-2.0
// half (IEEE binary16) and bfloat16_t (the upper half of binary32). Conversions are integer code that
// compilers vectorise, so that results depend on no hardware. Arithmetic is done in float and rounded once.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sim {

constexpr uint32_t FloatBits(float value) { return __builtin_bit_cast(uint32_t, value); }
constexpr float BitsFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// Selects without a branch: with one, compilers would not vectorise a loop that also has float operations.
constexpr uint32_t Pick(bool condition, uint32_t yes, uint32_t no) {
  const uint32_t mask = 0U - static_cast<uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

// Rounds to nearest, ties to even. A NaN keeps its sign and becomes quiet.
constexpr uint16_t FloatToHalfBits(float value) {
  const uint32_t bits = FloatBits(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  const uint32_t normal = (magnitude + 0xC8000FFFU + ((magnitude >> 13) & 1U)) >> 13;
  // Adding 0.5 aligns the mantissa of a subnormal result and lets the float adder round it.
  const uint32_t subnormal =
      FloatBits(BitsFloat(Pick(magnitude < 0x38800000U, magnitude, 0U)) + 0.5F) - 0x3F000000U;
  uint32_t result = Pick(magnitude < 0x38800000U, subnormal, normal);
  result = Pick(magnitude >= 0x47800000U, 0x7C00U, result);
  result = Pick(magnitude > 0x7F800000U, 0x7E00U, result);
  return static_cast<uint16_t>(result | sign);
}

constexpr float HalfBitsToFloat(uint16_t half) {
  const uint32_t magnitude = half & 0x7FFFU;
  const uint32_t shifted = magnitude << 13;
  // 2^112 moves the exponent bias from 15 to 127, subnormals included.
  const uint32_t finite = FloatBits(BitsFloat(shifted) * BitsFloat(0x77800000U));
  const uint32_t bits = Pick(magnitude >= 0x7C00U, shifted | 0x7F800000U, finite);
  return BitsFloat(bits | (static_cast<uint32_t>(half & 0x8000U) << 16));
}

constexpr uint16_t FloatToBfloat16Bits(float value) {
  const uint32_t bits = FloatBits(value);
  const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return static_cast<uint16_t>(Pick(nan, (bits >> 16) | 0x40U, rounded));
}

constexpr float Bfloat16BitsToFloat(uint16_t value) { return BitsFloat(static_cast<uint32_t>(value) << 16); }

// The type has 16 bits; all else follows from its two conversions. Only operations with two operands of this
// type are overloaded. With another type the operand is converted to float implicitly, as built-in types are.
template <uint16_t (*Narrow)(float), float (*Widen)(uint16_t)>
struct Float16 {
  uint16_t bits;

  Float16() = default;
  template <typename N, typename = std::enable_if_t<std::is_arithmetic_v<N>>>
  constexpr Float16(N value) : bits(Narrow(static_cast<float>(value))) {}
  constexpr operator float() const { return Widen(bits); }

  static constexpr Float16 FromBits(uint16_t bits) {
    Float16 value(0);
    value.bits = bits;
    return value;
  }

  constexpr Float16 operator-() const { return FromBits(bits ^ 0x8000U); }
  constexpr Float16 operator+() const { return *this; }
  template <typename N>
  constexpr Float16 &operator+=(N other) {
    return *this = Float16(float(*this) + float(other));
  }
  template <typename N>
  constexpr Float16 &operator-=(N other) {
    return *this = Float16(float(*this) - float(other));
  }
  template <typename N>
  constexpr Float16 &operator*=(N other) {
    return *this = Float16(float(*this) * float(other));
  }
  template <typename N>
  constexpr Float16 &operator/=(N other) {
    return *this = Float16(float(*this) / float(other));
  }
};

}  // namespace sim

struct half : sim::Float16<sim::FloatToHalfBits, sim::HalfBitsToFloat> {
  using Base = sim::Float16<sim::FloatToHalfBits, sim::HalfBitsToFloat>;
  using Base::Base;
  half() = default;
  constexpr half(Base base) : Base(base) {}
};

struct bfloat16_t : sim::Float16<sim::FloatToBfloat16Bits, sim::Bfloat16BitsToFloat> {
  using Base = sim::Float16<sim::FloatToBfloat16Bits, sim::Bfloat16BitsToFloat>;
  using Base::Base;
  bfloat16_t() = default;
  constexpr bfloat16_t(Base base) : Base(base) {}
  constexpr explicit bfloat16_t(half other) : Base(float(other)) {}
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>, "half is 16 bits of plain data");
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>, "so is bfloat16_t");

namespace sim {

template <typename T>
constexpr bool kIsFloat16 = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

// The type in which lanes of T are computed; the result is rounded to T once.
template <typename T>
using Compute = std::conditional_t<kIsFloat16<T>, float, T>;

}  // namespace sim

#define SIM_FLOAT16_OPERATOR(op)                                         \
  template <typename T, typename = std::enable_if_t<sim::kIsFloat16<T>>> \
  constexpr T operator op(T left, T right) {                             \
    return T(float(left) op float(right));                               \
  }
SIM_FLOAT16_OPERATOR(+)
SIM_FLOAT16_OPERATOR(-)
SIM_FLOAT16_OPERATOR(*)
SIM_FLOAT16_OPERATOR(/)
#undef SIM_FLOAT16_OPERATOR
