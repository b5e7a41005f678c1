// SPDX-License-Identifier: Apache-2.0
// Errors of the calling thread, by the codes of HCCL. aclGetRecentErrMsg returns their texts.
#pragma once

#include "acl/runtime/error.h"
#include "hccl/hccl_types.h"

namespace sim::hccl {

// Reports a failed call. The message consists of the parts, one after the other.
template <typename... Parts>
HcclResult Refuse(HcclResult code, const Parts &...parts) {
  runtime::Fail(ACL_ERROR_INVALID_PARAM, parts...);
  return code;
}

}  // namespace sim::hccl

// Behind the body of a C function that begins with `try`: no exception may leave it.
#define HCCL_CATCH                             \
  catch (...) {                                \
    ::sim::runtime::ReportException(__func__); \
    return HCCL_E_INTERNAL;                    \
  }

// Refuses a null pointer; the message names the call and the parameter.
#define HCCL_REQUIRE_POINTER(pointer)                                                      \
  do {                                                                                     \
    if ((pointer) == nullptr) {                                                            \
      return ::sim::hccl::Refuse(HCCL_E_PTR, __func__, ": " #pointer " must not be null"); \
    }                                                                                      \
  } while (false)
