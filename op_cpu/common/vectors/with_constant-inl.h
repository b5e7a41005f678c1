// SPDX-License-Identifier: Apache-2.0
// Code for some values of a number. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_WITH_CONSTANT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WITH_CONSTANT_INL_H_
#undef AVO_OP_CPU_COMMON_WITH_CONSTANT_INL_H_
#else
#define AVO_OP_CPU_COMMON_WITH_CONSTANT_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {

// Calls body with the constant that is equal to `value`, or with the last one where none is.
template <int64_t kFirst, int64_t... kOthers, class Body>
void WithConstant(int64_t value, const Body &body) {
  if constexpr (sizeof...(kOthers) > 0) {
    if (value != kFirst) return WithConstant<kOthers...>(value, body);
  }
  body(std::integral_constant<int64_t, kFirst>());
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
