// SPDX-License-Identifier: Apache-2.0
#include "error.h"

#include <deque>

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

}  // namespace sim::runtime

using sim::runtime::Errors;

extern "C" {

const char *aclGetRecentErrMsg() {
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

aclError aclrtGetLastError(aclrtLastErrLevel) {
  const aclError last = Errors().last;
  Errors().last = ACL_SUCCESS;
  return last;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return Errors().last; }

}  // extern "C"
