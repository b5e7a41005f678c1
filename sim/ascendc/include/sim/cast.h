// SPDX-License-Identifier: Apache-2.0
// Converts one lane by a RoundMode.
#pragma once

#include <cmath>
#include <limits>

#include "../kernel_constants.h"
#include "cast_modes.h"
#include "vector_op.h"

namespace sim {

inline const char *RoundModeName(RoundMode mode) {
  constexpr const char *kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                    "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  return static_cast<uint32_t>(mode) < 7 ? kNames[static_cast<uint32_t>(mode)] : "of an unknown value";
}

constexpr float Sign(float magnitude, float sign) {
  return BitsFloat((FloatBits(magnitude) & 0x7FFFFFFFU) | (FloatBits(sign) & 0x80000000U));
}

// Rounds a float to an integral value in the given direction: it adds 1.5 * 2^23 and subtracts it again.
// There is no library call, so that compilers vectorise loops around it.
template <RoundMode mode>
float Integral(float value) {
  constexpr float kShift = 12582912.0F;
  const float magnitude = BitsFloat(FloatBits(value) & 0x7FFFFFFFU);
  const bool fractional = magnitude < 8388608.0F;  // also false for NaN and Inf
  const float near = (BitsFloat(Pick(fractional, FloatBits(value), 0U)) + kShift) - kShift;
  float result = near;
  if constexpr (mode == RoundMode::CAST_FLOOR) {
    result = near - (near > value ? 1.0F : 0.0F);
  } else if constexpr (mode == RoundMode::CAST_CEIL) {
    result = near + (near < value ? 1.0F : 0.0F);
  } else if constexpr (mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ROUND) {
    const float positive = BitsFloat(FloatBits(near) & 0x7FFFFFFFU);
    const float down = positive - (positive > magnitude ? 1.0F : 0.0F);
    const float away = mode == RoundMode::CAST_ROUND && magnitude - down >= 0.5F ? 1.0F : 0.0F;
    result = down + away;
  }
  return BitsFloat(Pick(fractional, FloatBits(Sign(result, value)), FloatBits(value)));
}

// Converts to an integer. Values beyond its range become the nearest one; NaN becomes 0.
template <typename D>
D SaturateFloat(float value) {
  // 2^(bits - 1) or 2^bits, the first float above the range.
  constexpr float kAbove = static_cast<float>(std::numeric_limits<D>::max() / 2 + 1) * 2.0F;
  constexpr float kLowest = static_cast<float>(std::numeric_limits<D>::min());
  const bool above = value >= kAbove;
  const bool below = value < kLowest;
  const bool inside = !above && !below && value == value;
  const D converted = static_cast<D>(BitsFloat(Pick(inside, FloatBits(value), 0U)));
  return above ? std::numeric_limits<D>::max() : (below ? std::numeric_limits<D>::min() : converted);
}

template <typename D, typename S>
D SaturateInteger(S value) {
  const int64_t low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max(), wide = value;
  return static_cast<D>(wide < low ? low : (wide > high ? high : wide));
}

// Converts a double, which holds the value exactly, to a 16-bit float in any direction. Overflow follows IEEE
// 754: it gives infinity, or the largest finite value where the direction is towards zero.
template <typename D, RoundMode mode>
D Narrow16(double value) {
  D nearest(static_cast<float>(value));
  const double back = static_cast<float>(nearest);
  if (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE || !(back == back) || back == value) {
    return nearest;
  }
  const bool negative = value < 0;
  const bool away = std::fabs(back) > std::fabs(value);
  const D toward_zero = away ? D::FromBits(static_cast<uint16_t>(nearest.bits - 1)) : nearest;
  const D outward = away ? nearest : D::FromBits(static_cast<uint16_t>(nearest.bits + 1));
  switch (mode) {
    case RoundMode::CAST_TRUNC:
      return toward_zero;
    case RoundMode::CAST_ODD:
      return (toward_zero.bits & 1U) != 0 ? toward_zero : outward;
    case RoundMode::CAST_FLOOR:
      return negative ? outward : toward_zero;
    case RoundMode::CAST_CEIL:
      return negative ? toward_zero : outward;
    default: {
      const double low = std::fabs(static_cast<float>(toward_zero)),
                   high = std::fabs(static_cast<float>(outward));
      return std::fabs(value) - low == high - std::fabs(value) ? outward : nearest;
    }
  }
}

// Converts an integer, which a long double holds exactly, to a float.
template <RoundMode mode>
float NarrowInteger(int64_t value) {
  const float nearest = static_cast<float>(value);
  if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
    return nearest;
  } else {
    const long double exact = value, back = nearest;
    const float infinity = std::numeric_limits<float>::infinity();
    if (exact == back) {
      return nearest;
    }
    const float below = back < exact ? nearest : std::nextafter(nearest, -infinity);
    const float above = back < exact ? std::nextafter(nearest, infinity) : nearest;
    switch (mode) {
      case RoundMode::CAST_FLOOR:
        return below;
      case RoundMode::CAST_CEIL:
        return above;
      case RoundMode::CAST_TRUNC:
        return value < 0 ? above : below;
      default:
        return exact - below == above - exact ? (value < 0 ? below : above) : nearest;
    }
  }
}

template <typename D, typename S, RoundMode mode>
struct CastLane {
  float scale = 1.0F;  // int32 -> half only

  D operator()(Compute<S> value) const {
    if constexpr (std::is_same_v<S, int32_t> && std::is_same_v<D, half>) {
      return half(static_cast<float>(value) * scale);
    } else if constexpr (std::is_integral_v<S> && std::is_integral_v<D>) {
      return SaturateInteger<D>(value);
    } else if constexpr (std::is_integral_v<D>) {
      constexpr RoundMode kMode = mode == RoundMode::CAST_NONE ? RoundMode::CAST_RINT : mode;
      return SaturateFloat<D>(Integral<kMode>(value));
    } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
      return Integral<mode>(value) + 0.0F;  // -0 becomes +0, as documented
    } else if constexpr (std::is_same_v<D, float> && std::is_integral_v<S>) {
      return NarrowInteger<mode>(value);
    } else if constexpr (std::is_same_v<D, float>) {
      return value;
    } else if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
      return D(static_cast<float>(value));
    } else {
      return Narrow16<D, mode>(value);
    }
  }
};

// The conversion of what another function computes in S; its result is rounded to S before.
template <typename D, typename S, typename F>
struct ThenCast {
  D operator()(Compute<S> a, Compute<S> b) const {
    return CastLane<D, S, RoundMode::CAST_NONE>()(static_cast<Compute<S>>(static_cast<S>(F()(a, b))));
  }
};

template <typename T, typename U, typename Level>
void Cast(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src, RoundMode mode,
          const Level &level, Where where) {
  constexpr uint32_t kModes = ModesOf(CastPair<U, T>());
  static_assert(kModes != 0, "Cast: Atlas A2 has no conversion between these element types");
  Core &core = Core::Current();
  if ((kModes & Bit(mode)) == 0) {
    std::string legal;
    for (uint32_t i = 0; i < 7; ++i) {
      if ((kModes >> i) & 1U) {
        legal += std::string(legal.empty() ? "" : ", ") + RoundModeName(static_cast<RoundMode>(i));
      }
    }
    core.Fail(FaultKind::kRoundMode, "Cast", where,
              "roundMode must be one of " + legal + " for this pair of types, got " + RoundModeName(mode));
  }
  const float scale = core.registers.deq_scale;
  const auto with = [&](auto lane) { Unary("Cast", lane, dst, src, level, where); };
  switch (mode) {
    case RoundMode::CAST_RINT:
      return with(CastLane<T, U, RoundMode::CAST_RINT>{scale});
    case RoundMode::CAST_FLOOR:
      return with(CastLane<T, U, RoundMode::CAST_FLOOR>{scale});
    case RoundMode::CAST_CEIL:
      return with(CastLane<T, U, RoundMode::CAST_CEIL>{scale});
    case RoundMode::CAST_ROUND:
      return with(CastLane<T, U, RoundMode::CAST_ROUND>{scale});
    case RoundMode::CAST_TRUNC:
      return with(CastLane<T, U, RoundMode::CAST_TRUNC>{scale});
    case RoundMode::CAST_ODD:
      return with(CastLane<T, U, RoundMode::CAST_ODD>{scale});
    default:
      return with(CastLane<T, U, RoundMode::CAST_NONE>{scale});
  }
}

}  // namespace sim
