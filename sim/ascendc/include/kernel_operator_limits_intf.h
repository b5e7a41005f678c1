// SPDX-License-Identifier: Apache-2.0
// Limits of the element types.
#pragma once

#include <limits>

#include "kernel_operator_scalar_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"

namespace sim {

// The bits of the 16-bit floats with which kernels compare.
template <typename T>
struct FloatLimits;
template <>
struct FloatLimits<half> {
  static constexpr uint16_t kMax = 0x7BFF, kMin = 0x0400, kInfinity = 0x7C00, kQuiet = 0x7E00,
                            kSignaling = 0x7D00;
};
template <>
struct FloatLimits<float> {
  static constexpr uint32_t kMax = 0x7F7FFFFF, kMin = 0x00800000, kInfinity = 0x7F800000, kQuiet = 0x7FC00000,
                            kSignaling = 0x7FA00000;
};

}  // namespace sim

namespace AscendC {

template <typename T>
class NumericLimits {
  static constexpr bool kFloat = sim::kOneOf<T, half, float>;

  template <typename B>
  static constexpr T FromBits(B bits) {
    return GetScalarBitcodeValue<B, T>(bits);
  }
  template <typename B>
  static constexpr B Negative(B bits) {
    return static_cast<B>(bits | static_cast<B>(B{1} << (8 * sizeof(B) - 1)));
  }

 public:
  static constexpr T Max() {
    if constexpr (kFloat) {
      return FromBits(sim::FloatLimits<T>::kMax);
    } else {
      return std::numeric_limits<T>::max();
    }
  }
  static constexpr T Lowest() {
    if constexpr (kFloat) {
      return FromBits(Negative(sim::FloatLimits<T>::kMax));
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }
  static constexpr T Min() {
    if constexpr (kFloat) {
      return FromBits(sim::FloatLimits<T>::kMin);
    } else {
      return std::numeric_limits<T>::min();
    }
  }
  static constexpr T Infinity() { return FromBits(sim::FloatLimits<T>::kInfinity); }
  static constexpr T NegativeInfinity() { return FromBits(Negative(sim::FloatLimits<T>::kInfinity)); }
  static constexpr T QuietNaN() { return FromBits(sim::FloatLimits<T>::kQuiet); }
  static constexpr T SignalingNaN() { return FromBits(sim::FloatLimits<T>::kSignaling); }
  static constexpr T DeNormMin() {
    return FromBits(static_cast<std::remove_const_t<decltype(sim::FloatLimits<T>::kMax)>>(1));
  }

#define SIM_LIMIT_FILL(Name) \
  static void Name(const LocalTensor<T> &dst, uint32_t count) { Duplicate(dst, Name(), count); }
  SIM_LIMIT_FILL(Max)
  SIM_LIMIT_FILL(Lowest)
  SIM_LIMIT_FILL(Min)
  SIM_LIMIT_FILL(Infinity)
  SIM_LIMIT_FILL(NegativeInfinity)
  SIM_LIMIT_FILL(QuietNaN)
  SIM_LIMIT_FILL(SignalingNaN)
  SIM_LIMIT_FILL(DeNormMin)
#undef SIM_LIMIT_FILL
};

}  // namespace AscendC
