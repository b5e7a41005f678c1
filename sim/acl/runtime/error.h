// SPDX-License-Identifier: Apache-2.0
// Errors of the calling thread, as aclGetRecentErrMsg and aclrtGetLastError hand them out.
#pragma once

#include <sstream>
#include <string>

#include "acl/acl_rt.h"

namespace sim::runtime {

// Outcome of something that another thread runs: becomes an error of the thread that waits for it.
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

// Makes the text this thread's latest message and returns the code.
ACL_FUNC_VISIBILITY aclError RecordError(aclError code, std::string text);

// Report of a failed call; the parts are streamed one after the other into the message.
template <typename... Parts>
aclError Fail(aclError code, const Parts &...parts) {
  return RecordError(code, Text(parts...));
}

// The failure of a background task, said again on this thread by the call that met it.
inline aclError ReturnStatus(const char *call, const Status &status) {
  return status.ok() ? ACL_SUCCESS : Fail(status.code, call, ": ", status.text);
}

}  // namespace sim::runtime

// Refuses a null pointer argument, naming call and parameter.
#define SIM_REQUIRE_POINTER(pointer)                                                                     \
  do {                                                                                                   \
    if ((pointer) == nullptr) {                                                                          \
      return ::sim::runtime::Fail(ACL_ERROR_INVALID_PARAM, __func__, ": " #pointer " must not be null"); \
    }                                                                                                    \
  } while (false)
