// SPDX-License-Identifier: Apache-2.0
// Functions of the C library as the device compiler has them: each has a form for every type of number, also
// without `std::`, so that abs(-1.75f) is 1.75f.
#pragma once

#include <math.h>  // not <cmath>: abs, sqrt and others of the global namespace have forms for float then

#include <stdlib.h>
#include <type_traits>

namespace sim {

// The includer has half and bfloat16_t, which the compiler may have built in (compiler/element_types.h).
template <typename T>
constexpr bool kHasSixteenBits = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;
template <typename... T>
constexpr bool kNumbers = ((std::is_arithmetic_v<T> || kHasSixteenBits<T>) && ...);

}  // namespace sim

// The smaller and the larger of two numbers.
template <typename A, typename B, typename = std::enable_if_t<sim::kNumbers<A, B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <typename A, typename B, typename = std::enable_if_t<sim::kNumbers<A, B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

#define SIM_FLOAT16_FUNCTION(name)                                            \
  template <typename T, typename = std::enable_if_t<sim::kHasSixteenBits<T>>> \
  inline T name(T value) {                                                    \
    return T(::name(static_cast<float>(value)));                              \
  }
SIM_FLOAT16_FUNCTION(fabs)
SIM_FLOAT16_FUNCTION(sqrt)
SIM_FLOAT16_FUNCTION(exp)
SIM_FLOAT16_FUNCTION(log)
SIM_FLOAT16_FUNCTION(floor)
SIM_FLOAT16_FUNCTION(ceil)
SIM_FLOAT16_FUNCTION(trunc)
SIM_FLOAT16_FUNCTION(round)
SIM_FLOAT16_FUNCTION(rint)
#undef SIM_FLOAT16_FUNCTION
template <typename T, typename = std::enable_if_t<sim::kHasSixteenBits<T>>>
inline T abs(T value) {
  return fabs(value);
}
