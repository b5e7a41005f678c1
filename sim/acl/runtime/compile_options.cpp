// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <mutex>

#include "acl/acl_op_compiler.h"
#include "error.h"
#include "operator_compiler.h"

using namespace sim::runtime;

namespace {

struct CompileOptions {
  std::mutex mutex;
  // Nothing is compiled while a program runs.
  std::map<aclCompileOpt, std::string> values{{ACL_OP_JIT_COMPILE, "disable"}};

  static CompileOptions &Get() {
    static auto *options = new CompileOptions;  // never destroyed: threads may outlive main
    return *options;
  }

  std::string Value(aclCompileOpt opt) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = values.find(opt);
    return found == values.end() ? std::string() : found->second;
  }
};

aclError CheckOption(const char *call, aclCompileOpt opt) {
  if (opt >= ACL_PRECISION_MODE && opt <= ACL_OP_DEBUG_OPTION) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, call, ": opt must be an aclCompileOpt, got ", opt);
}

}  // namespace

extern "C" {

aclError aclSetCompileopt(aclCompileOpt opt, const char *value) try {
  SIM_REQUIRE_POINTER(value);
  if (const aclError code = CheckOption(__func__, opt); code != ACL_SUCCESS) return code;
  if (opt == ACL_OP_JIT_COMPILE) {
    if (const aclError code = FindDescribedOperator(__func__); code != ACL_SUCCESS) return code;
  }
  CompileOptions &options = CompileOptions::Get();
  std::lock_guard<std::mutex> lock(options.mutex);
  options.values[opt] = value;
  return ACL_SUCCESS;
}
SIM_CATCH

size_t aclGetCompileoptSize(aclCompileOpt opt) try { return CompileOptions::Get().Value(opt).size() + 1; }
SIM_CATCH

aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length) try {
  SIM_REQUIRE_POINTER(value);
  if (const aclError code = CheckOption(__func__, opt); code != ACL_SUCCESS) return code;
  const std::string text = CompileOptions::Get().Value(opt);
  if (length <= text.size()) {
    return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": length must be at least ", text.size() + 1, ", got ",
                length);
  }
  std::memcpy(value, text.c_str(), text.size() + 1);
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
