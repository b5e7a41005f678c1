// SPDX-License-Identifier: Apache-2.0
// Errors of the calling thread, which aclGetRecentErrMsg and aclrtGetLastError return.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

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

// Reports a failed call. The message consists of the parts, one after the other. Where there is no memory for
// it, there is the code alone.
template <typename... Parts>
aclError Fail(aclError code, const Parts &...parts) {
  try {
    return RecordError(code, Text(parts...));
  } catch (...) {
    return code;
  }
}

// Reports the exception that is being handled, and returns its code.
ACL_FUNC_VISIBILITY aclError ReportException(const char *call) noexcept;

// What a C function returns instead of an exception: an error code, a null pointer, or a zero.
struct Caught {
  const char *call;

  template <typename T>
  operator T() const {
    const aclError code = ReportException(call);
    if constexpr (std::is_same_v<T, aclError>) {
      return code;
    } else {
      return T{};
    }
  }
};

// Reports the failure of a background task again, on this thread and for the call that found it.
inline aclError ReturnStatus(const char *call, const Status &status) {
  return status.ok() ? ACL_SUCCESS : Fail(status.code, call, ": ", status.text);
}

}  // namespace sim::runtime

// Behind the body of a C function that begins with `try`: no exception may leave it, because the caller may
// be no C++ program.
#define SIM_CATCH                            \
  catch (...) {                              \
    return ::sim::runtime::Caught{__func__}; \
  }
// The same for a function that returns nothing.
#define SIM_CATCH_VOID                         \
  catch (...) {                                \
    ::sim::runtime::ReportException(__func__); \
  }

// Refuses a null pointer; the message names the call and the parameter.
#define SIM_REQUIRE_POINTER(pointer)                                                                     \
  do {                                                                                                   \
    if ((pointer) == nullptr) {                                                                          \
      return ::sim::runtime::Fail(ACL_ERROR_INVALID_PARAM, __func__, ": " #pointer " must not be null"); \
    }                                                                                                    \
  } while (false)
