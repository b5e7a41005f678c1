// SPDX-License-Identifier: Apache-2.0
#include "error.h"

#include <deque>
#include <exception>
#include <new>

namespace sim::runtime {
namespace {

// A program may never ask for messages, so that only the latest ones are kept.
constexpr size_t kMessagesKept = 16;

struct ThreadErrors {
  std::deque<std::string> messages;  // the latest first
  std::string taken;                 // what the last aclGetRecentErrMsg returned
  aclError last = ACL_SUCCESS;
};

ThreadErrors &Errors() {
  thread_local ThreadErrors errors;
  return errors;
}

}  // namespace

aclError RecordError(aclError code, std::string text) {
  ThreadErrors &errors = Errors();
  errors.last = code;
  errors.messages.push_front(std::move(text));
  if (errors.messages.size() > kMessagesKept) errors.messages.pop_back();
  return code;
}

aclError ReportException(const char *call) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return Fail(ACL_ERROR_BAD_ALLOC, call, ": the host has no memory left");
  } catch (const std::exception &error) {
    return Fail(ACL_ERROR_INTERNAL_ERROR, call, ": ", error.what());
  } catch (...) {
    return Fail(ACL_ERROR_INTERNAL_ERROR, call, ": an exception of unknown kind");
  }
}

}  // namespace sim::runtime

using sim::runtime::Errors;

extern "C" {

const char *aclGetRecentErrMsg() try {
  auto &errors = Errors();
  if (errors.messages.empty()) return nullptr;
  errors.taken.clear();
  for (const std::string &message : errors.messages) {
    if (!errors.taken.empty()) errors.taken += '\n';
    errors.taken += message;
  }
  errors.messages.clear();
  return errors.taken.c_str();
}
SIM_CATCH

aclError aclrtGetLastError(aclrtLastErrLevel) try {
  const aclError last = Errors().last;
  Errors().last = ACL_SUCCESS;
  return last;
}
SIM_CATCH

aclError aclrtPeekAtLastError(aclrtLastErrLevel) try { return Errors().last; }
SIM_CATCH

}  // extern "C"
