// SPDX-License-Identifier: Apache-2.0
#include "operator_compiler.h"

#include <utility>

#include "error.h"
#include "sim/operator_compiler.h"

namespace sim::runtime {
namespace {

struct Missing {
  std::string function;  // the aclnn function
  std::string caller;    // the operator of torch that needs it
  bool described = false;
};
thread_local Missing missing;

std::string Between(const std::string &text, const std::string &begin, const char *ends) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t first = at + begin.size();
  return text.substr(first, text.find_first_of(ends, first) - first);
}

}  // namespace

void NoteMissingFunction(const std::string &warning) {
  missing.function = Between(warning, "[PTA]:", " ");
  missing.caller = Between(warning, "Will call acl_op::", "(");
}

aclError RefuseOperatorCompiler(const char *call) {
  if (!missing.described) return ACL_SUCCESS;
  const Missing found = std::exchange(missing, {});
  const std::string reason =
      found.caller.empty()
          ? "this operator has no aclnn function, and CANN's operator compiler is not simulated"
          : Text("aten::", found.caller, " needs ", found.function, ", which is not simulated");
  return Fail(ACL_ERROR_OP_NOT_FOUND, call, ": ", reason);
}

}  // namespace sim::runtime

void simExpectOperatorCompiler() { sim::runtime::missing.described = true; }
