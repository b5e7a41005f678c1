// SPDX-License-Identifier: Apache-2.0
// All that CANN's device compiler has built in. Kernels that are compiled against CANN's own AscendC headers
// include this file before anything else (-include).
#pragma once

// Clang tells the memories of a core apart, unless SIM_ONE_ADDRESS_SPACE says that it must not.
#if defined(__clang__) && !defined(SIM_ONE_ADDRESS_SPACE)
#define SIM_ADDRESS_SPACES
#endif

#include <math.h>  // not <cmath>: abs, sqrt and others of the global namespace have forms for float then

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absent.h"
#include "element_types.h"
#include "enumerations.h"
#include "intrinsics.h"
#include "keywords.h"

// The smaller and the larger of two numbers. Kernels of template headers use these names without `std::`.
template <typename A, typename B,
          typename = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <typename A, typename B,
          typename = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

// Marks for CANN's profiler.
namespace bisheng::cce {
inline void metrics_prof_start() {}
inline void metrics_prof_stop() {}
template <pipe_t>
void mark_stamp(uint16_t) {}
}  // namespace bisheng::cce
