// SPDX-License-Identifier: Apache-2.0
// Errors of the calling thread, which aclGetRecentErrMsg and aclrtGetLastError return.
#pragma once

#include <sstream>
#include <string>

#include "acl/acl_rt.h"

namespace sim::runtime {

// The outcome of a task that another thread runs. A failure becomes an error of the thread that waits for the
// task.
struct Status {
  aclError code = ACL_SUCCESS;
  std::string text;

  bool ok() const { return code == ACL_SUCCESS; }
};

template <typename... Parts>
std::string Text(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

// Makes the text the latest message of this thread and returns the code.
ACL_FUNC_VISIBILITY aclError RecordError(aclError code, std::string text);

// Reports a failed call. The message consists of the parts, one after the other.
template <typename... Parts>
aclError Fail(aclError code, const Parts &...parts) {
  return RecordError(code, Text(parts...));
}

// Reports the failure of a background task again, on this thread and for the call that found it.
inline aclError ReturnStatus(const char *call, const Status &status) {
  return status.ok() ? ACL_SUCCESS : Fail(status.code, call, ": ", status.text);
}

}  // namespace sim::runtime

// Refuses a null pointer; the message names the call and the parameter.
#define SIM_REQUIRE_POINTER(pointer)                                                                     \
  do {                                                                                                   \
    if ((pointer) == nullptr) {                                                                          \
      return ::sim::runtime::Fail(ACL_ERROR_INVALID_PARAM, __func__, ": " #pointer " must not be null"); \
    }                                                                                                    \
  } while (false)
