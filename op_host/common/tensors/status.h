// SPDX-License-Identifier: Apache-2.0
// What a check of a contract returns: an aclnn code, and a message with the parameter, what was expected and
// what it got.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace avo {

enum class StatusCode : int32_t {
  kOk = 0,
  kNullptr = 161001,      // ACLNN_ERR_PARAM_NULLPTR
  kInvalid = 161002,      // ACLNN_ERR_PARAM_INVALID
  kRuntime = 361001,      // ACLNN_ERR_RUNTIME_ERROR
  kInnerTiling = 561002,  // ACLNN_ERR_INNER_TILING_ERROR
};

struct Status {
  StatusCode code = StatusCode::kOk;
  std::string message;

  bool ok() const { return code == StatusCode::kOk; }
  static Status Ok() { return {}; }
};

// Returns the status of a failed check. Its message consists of `parts`, one after the other.
template <typename... Parts>
Status Fail(StatusCode code, const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return {code, text.str()};
}

}  // namespace avo
