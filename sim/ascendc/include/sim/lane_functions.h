// SPDX-License-Identifier: Apache-2.0
// What vector instructions do to one lane. Floats follow IEEE 754 and the documentation of special values;
// integers wrap. The caller converts lanes of half to float, and rounds the result to half once.
#pragma once

#include <cmath>

#include "float16_types.h"

namespace sim {

// Integer arithmetic wraps modulo 2^n, as documented for all but the saturation mode.
template <typename T, typename F>
constexpr T Wrapping(T left, T right, F function) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(function(static_cast<U>(left), static_cast<U>(right)));
  } else {
    return function(left, right);
  }
}

struct AddLane {
  template <typename T>
  T operator()(T a, T b) const {
    return Wrapping(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct SubLane {
  template <typename T>
  T operator()(T a, T b) const {
    return Wrapping(a, b, [](auto x, auto y) { return x - y; });
  }
};
struct MulLane {
  template <typename T>
  T operator()(T a, T b) const {
    return Wrapping(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct DivLane {
  template <typename T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
// A NaN on either side gives NaN; +0 is greater than -0.
struct MaxLane {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const uint32_t x = FloatBits(a), y = FloatBits(b);
      const uint32_t larger = Pick(a > b, x, Pick(a == b, x & y, y));
      return BitsFloat(Pick(a != a, x | 0x400000U, Pick(b != b, y | 0x400000U, larger)));
    } else {
      return a > b ? a : b;
    }
  }
};
struct MinLane {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const uint32_t x = FloatBits(a), y = FloatBits(b);
      const uint32_t smaller = Pick(a < b, x, Pick(a == b, x | y, y));
      return BitsFloat(Pick(a != a, x | 0x400000U, Pick(b != b, y | 0x400000U, smaller)));
    } else {
      return a < b ? a : b;
    }
  }
};
struct ReluLane {
  template <typename T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return BitsFloat(Pick(a <= 0, 0U, FloatBits(a)));
    } else {
      return a > 0 ? a : T(0);
    }
  }
};
// The relu of another function.
template <typename F>
struct ThenRelu {
  F function;
  template <typename... T>
  auto operator()(T... values) const {
    return ReluLane()(function(values...));
  }
};
struct AndLane {
  template <typename T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct OrLane {
  template <typename T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct NotLane {
  template <typename T>
  T operator()(T a) const {
    return ~a;
  }
};
struct AbsLane {
  template <typename T>
  T operator()(T a) const {
    return BitsFloat(FloatBits(a) & 0x7FFFFFFFU);
  }
};
struct ExpLane {
  float operator()(float a) const { return std::exp(a); }
};
struct LnLane {
  float operator()(float a) const { return std::log(a); }
};
struct SqrtLane {
  float operator()(float a) const { return std::sqrt(a); }
};
struct RsqrtLane {
  float operator()(float a) const { return 1.0F / std::sqrt(a); }
};
struct ReciprocalLane {
  float operator()(float a) const { return 1.0F / a; }
};

// The product is rounded to the type of the result before it is added: the documentation of special values
// shows MAX * MAX + -inf = nan for equal types.
template <typename D>
struct MulAddLane {
  template <typename A, typename S>
  Compute<D> operator()(A addend, S a, S b) const {
    const D product = static_cast<D>(static_cast<Compute<D>>(a) * static_cast<Compute<D>>(b));
    return static_cast<Compute<D>>(product) + addend;
  }
};

// dst, src0, src1 -> src0 * dst + src1
template <typename D>
struct FusedLane {
  Compute<D> operator()(Compute<D> dst, Compute<D> a, Compute<D> b) const {
    return MulAddLane<D>()(b, a, dst);
  }
};
template <typename D>
struct FusedReluLane {
  Compute<D> operator()(Compute<D> dst, Compute<D> a, Compute<D> b) const {
    // It is rounded before the comparison. That matters only for a result that rounds to zero.
    return ReluLane()(static_cast<Compute<D>>(static_cast<D>(FusedLane<D>()(dst, a, b))));
  }
};

// Shifts move bits. Those to the right keep the sign of signed types. A shift by all bits or more is legal.
struct ShiftLeftLane {
  template <typename T>
  T operator()(T value, uint32_t bits) const {
    const auto wide = static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
    return static_cast<T>(wide << bits);
  }
};
struct ShiftRightLane {
  bool round = false;
  template <typename T>
  T operator()(T value, uint32_t bits) const {
    const int64_t wide = value;
    const int64_t last = bits == 0 ? 0 : (wide >> (bits - 1)) & 1;
    return static_cast<T>((wide >> bits) + (round ? last : 0));
  }
};

// Says of the function of an instruction that src1 may be the results of earlier repeats
// (Sharing::kAccumulate).
template <typename F>
constexpr bool kAccumulates = false;
template <>
inline constexpr bool kAccumulates<AddLane> = true;
template <>
inline constexpr bool kAccumulates<SubLane> = true;
template <>
inline constexpr bool kAccumulates<MulLane> = true;
template <>
inline constexpr bool kAccumulates<MaxLane> = true;
template <>
inline constexpr bool kAccumulates<MinLane> = true;
template <>
inline constexpr bool kAccumulates<ThenRelu<AddLane>> = true;
template <>
inline constexpr bool kAccumulates<ThenRelu<SubLane>> = true;

}  // namespace sim
