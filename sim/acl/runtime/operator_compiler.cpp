// SPDX-License-Identifier: Apache-2.0
#include "operator_compiler.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "error.h"
#include "sim/operator_compiler.h"

namespace sim {
namespace {

struct Operators {
  std::mutex mutex;
  std::map<std::string, CompiledOperator> by_type;

  static Operators &Get() {
    static auto *operators = new Operators;  // never destroyed: threads may outlive main
    return *operators;
  }
};

struct Description {
  std::string function;  // the aclnn function that was missing
  std::string caller;    // the operator of torch that needs it
  size_t tensors = 0;
  size_t on_host = 0;
  bool internal_format = false;
  std::set<std::string> attributes;

  bool Fits(const CompiledOperator &known) const {
    const size_t most = known.inputs + known.outputs;
    return tensors + known.optional >= most && tensors <= most && on_host == known.on_host &&
           (known.attribute.empty() ? attributes.empty() : attributes.count(known.attribute) > 0);
  }
};
thread_local Description described;

std::string Between(const std::string &text, const std::string &begin, const char *ends) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t first = at + begin.size();
  return text.substr(first, text.find_first_of(ends, first) - first);
}

bool IsKnown(const Description &description) {
  Operators &operators = Operators::Get();
  std::lock_guard<std::mutex> lock(operators.mutex);
  for (const auto &[type, known] : operators.by_type) {
    if (description.Fits(known)) return true;
  }
  return false;
}

}  // namespace

void AddCompiledOperator(CompiledOperator added) {
  Operators &operators = Operators::Get();
  std::lock_guard<std::mutex> lock(operators.mutex);
  operators.by_type.emplace(added.type, std::move(added));
}

const CompiledOperator *FindCompiledOperator(const std::string &type) {
  Operators &operators = Operators::Get();
  std::lock_guard<std::mutex> lock(operators.mutex);
  const auto found = operators.by_type.find(type);
  return found == operators.by_type.end() ? nullptr : &found->second;
}

void DescribeTensor() {
  // torch_npu sets attributes behind the tensors, and some behind the option of the compiler, which no longer
  // count.
  if (described.tensors++ == 0) described.attributes.clear();
}

void DescribeFormat(aclFormat format) {
  const bool base = format == ACL_FORMAT_UNDEFINED || format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW ||
                    format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NCDHW || format == ACL_FORMAT_NCL;
  described.internal_format = described.internal_format || !base;
}

void DescribeHostTensor() { ++described.on_host; }

// Those that begin with an underscore say where an operator runs, not what it computes.
void DescribeAttribute(const char *name) {
  if (name[0] != '_') described.attributes.insert(name);
}

namespace runtime {

void NoteMissingFunction(const std::string &warning) {
  described.function = Between(warning, "[PTA]:", " ");
  described.caller = Between(warning, "Will call acl_op::", "(");
}

aclError FindDescribedOperator(const char *call) {
  if (described.tensors == 0) return ACL_SUCCESS;
  const Description found = std::exchange(described, {});
  if (!found.caller.empty()) {
    return Fail(ACL_ERROR_OP_NOT_FOUND, call, ": aten::", found.caller, " needs ", found.function,
                ", which is not simulated");
  }
  if (found.internal_format) {
    return Fail(ACL_ERROR_OP_NOT_FOUND, call,
                ": internal formats of tensors are not simulated; set torch.npu.config.allow_internal_format "
                "= False");
  }
  if (IsKnown(found)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_OP_NOT_FOUND, call,
              ": this operator has no aclnn function, and CANN's operator compiler is not simulated");
}

}  // namespace runtime
}  // namespace sim
