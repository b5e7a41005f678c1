// SPDX-License-Identifier: Apache-2.0
// What a contract check returns: an aclnn code, and a message naming parameter, expected and got.
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

// Status of a failed check; the parts are streamed one after the other into the message.
template <typename... Parts>
Status Fail(StatusCode code, const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return {code, text.str()};
}

}  // namespace avo
