// SPDX-License-Identifier: Apache-2.0
// Error codes and reports of the aclnn layer.
#pragma once

#include "aclnn/acl_meta.h"
#include "runtime/error.h"

namespace sim::opbase {

constexpr aclnnStatus kParamNullptr = 161001;  // ACLNN_ERR_PARAM_NULLPTR
constexpr aclnnStatus kParamInvalid = 161002;  // ACLNN_ERR_PARAM_INVALID
constexpr aclnnStatus kRuntimeError = 361001;  // ACLNN_ERR_RUNTIME_ERROR
constexpr aclnnStatus kInner = 561000;         // ACLNN_ERR_INNER
constexpr aclnnStatus kInnerNullptr = 561103;  // ACLNN_ERR_INNER_NULLPTR

using runtime::Fail;

}  // namespace sim::opbase

// Refuses a null pointer with `code`; the message names the call and the parameter.
#define SIM_REQUIRE_OBJECT(pointer, code)                                            \
  do {                                                                               \
    if ((pointer) == nullptr) {                                                      \
      return ::sim::opbase::Fail(code, __func__, ": " #pointer " must not be null"); \
    }                                                                                \
  } while (false)
