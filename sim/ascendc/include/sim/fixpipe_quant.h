// SPDX-License-Identifier: Apache-2.0
// How Fixpipe changes a value. Modes that quantise take a word for all columns or one for each column:
//
//   bits  0-31  factor, a float of which 10 bits of mantissa count
//        32-35  shift - 1: of int32_t to 16 bits, where bit 36 is set
//        37-45  offset of a result of one byte, with sign
//           46  the result of one byte is int8_t, else uint8_t
#pragma once

#include <algorithm>
#include <cmath>

#include "../kernel_struct_fixpipe.h"
#include "fractals.h"

namespace sim {

// Says whether Fixpipe converts U of L0C to T in this mode.
template <typename T, typename U>
constexpr bool LegalQuant(QuantMode_t mode) {
  constexpr bool byte = std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;
  if constexpr (std::is_same_v<T, U>) return mode == NoQuant;
  if constexpr (std::is_same_v<U, float> && std::is_same_v<T, half>) return mode == F322F16;
  if constexpr (std::is_same_v<U, float> && std::is_same_v<T, bfloat16_t>) return mode == F322BF16;
  if constexpr (std::is_same_v<U, float> && byte) return mode == QF322B8_PRE || mode == VQF322B8_PRE;
  if constexpr (std::is_same_v<U, int32_t> && byte) return mode == REQ8 || mode == VREQ8;
  if constexpr (std::is_same_v<U, int32_t> && std::is_same_v<T, half>)
    return mode == DEQF16 || mode == VDEQF16;
  return false;
}

// The words of a matrix: one for all columns, or a table of them in the fix pipe's memory.
class FixpipeFactors {
 public:
  FixpipeFactors(Core &core, QuantMode_t mode)
      : table_(mode == VDEQF16 || mode == VQF322B8_PRE || mode == VREQ8), word_(core.registers.factor) {
    if (!table_) return;
    address_ = (core.registers.factor_table >> 8 & 0xFF) * kTableUnit;
    words_ = core.Memory(Space::FB, address_);
  }

  void AddTo(Instruction *instruction, uint32_t columns) const {
    if (!table_) return;
    Operand operand;
    operand.name = "deqTensor";
    operand.space = Space::FB;
    operand.address = address_;
    operand.row_bytes = static_cast<uint32_t>(columns * sizeof(uint64_t));
    operand.alignment = kTableUnit;
    instruction->Add(operand);
  }

  // Where the factor of a column lies; no bytes where it is that of the register.
  BitRange BitsOf(uint32_t column) const {
    return {Space::FB, address_ + column * sizeof(uint64_t), table_ ? sizeof(uint64_t) : 0};
  }

  uint64_t Of(uint32_t column) const {
    if (!table_) return word_;
    uint64_t word;
    std::memcpy(&word, words_ + column * sizeof(word), sizeof(word));
    return word;
  }

 private:
  static constexpr uint32_t kTableUnit = 128;

  bool table_;
  uint64_t word_;
  uint64_t address_ = 0;
  const std::byte *words_ = nullptr;
};

// The value times the factor of `word`; negative ones become 0 with relu.
template <typename U>
float Scaled(U value, uint64_t word, bool relu) {
  auto wide = static_cast<float>(value);
  if constexpr (std::is_same_v<U, int32_t>) {
    if ((word >> 36 & 1) != 0) {
      wide = static_cast<float>(std::clamp<int32_t>(value >> ((word >> 32 & 15) + 1), -32768, 32767));
    }
  }
  if (relu && wide < 0) return 0;
  constexpr uint32_t kSignificant = 0xFFFFE000U;
  return wide * BitsFloat(static_cast<uint32_t>(word) & kSignificant);
}

// A byte of the result; `word` says whether it has a sign.
inline uint8_t QuantisedByte(float value, uint64_t word) {
  const float whole = std::isnan(value) ? 0.0F : std::clamp(std::nearbyint(value), -256.0F, 255.0F);
  const auto field = static_cast<int32_t>(word >> 37 & 0x1FF);
  const int32_t sum = static_cast<int32_t>(whole) + (field >= 256 ? field - 512 : field);
  return (word >> 46 & 1) != 0 ? static_cast<uint8_t>(std::clamp(sum, -128, 127))
                               : static_cast<uint8_t>(std::clamp(sum, 0, 255));
}

template <typename T, typename U>
T FixpipeValue(U value, uint64_t word, bool relu) {
  if constexpr (sizeof(T) == 1) {
    return static_cast<T>(QuantisedByte(Scaled(value, word, relu), word));
  } else if constexpr (std::is_same_v<U, int32_t> && std::is_same_v<T, half>) {
    constexpr float kLargest = 65504;
    return static_cast<half>(std::clamp(Scaled(value, word, relu), -kLargest, kLargest));
  } else {
    if (relu && value < U(0)) value = U(0);
    return static_cast<T>(value);
  }
}

}  // namespace sim
