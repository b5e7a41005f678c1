// SPDX-License-Identifier: Apache-2.0
// CANN's operator compiler, which takes operators by type: torch_npu turns to it where it finds no aclnn
// function. The simulated device compiles nothing. It has a few operators of this kind, and says of the
// others which one is missing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_base_rt.h"
#include "sim/op_plan.h"

namespace sim {

// What a call says beside its tensors on the device.
struct CallValues {
  std::map<std::string, std::vector<int64_t>> numbers;  // attributes: integers, booleans, lists of integers
  std::map<std::string, double> fractions;              // attributes that are one number with a fraction
  std::map<std::string, std::string> texts;             // attributes that are texts
  std::map<size_t, std::vector<double>> constants;      // inputs on the host, by their place
};

// A tensor of a call, and the inputs on the host that say which of its elements count, by their places.
// Without strides and an offset these are the first elements: torch_npu describes a part of a tensor, which
// begins at the address that it passes, with the shape of the whole one.
struct StridedView {
  size_t tensor, sizes;
  std::optional<size_t> strides = std::nullopt, offset = std::nullopt;
};

struct CompiledOperator {
  std::string type;
  size_t inputs;
  size_t outputs;
  std::string attribute;                // the name of one that calls of this operator set, or empty
  size_t on_host = 0;                   // how many of the inputs lie on the host
  size_t optional = 0;                  // how many of the last inputs a call may leave out
  std::vector<StridedView> views = {};  // tensors whose own shape says nothing
  // Returns the function of a call, on the inputs and the outputs behind them. A tensor that is not given, or
  // lies on the host, has no dtype. Throws where values are not simulated.
  std::function<HostFunction(const CallValues &values)> plan = nullptr;
};

// Makes an operator known. The type must be new.
ACL_FUNC_VISIBILITY void AddCompiledOperator(CompiledOperator added);
// Returns the operator, or nullptr.
ACL_FUNC_VISIBILITY const CompiledOperator *FindCompiledOperator(const std::string &type);

// What the calling thread tells of the operator that it is about to run. Its next aclSetCompileopt of
// ACL_OP_JIT_COMPILE, at which the type is not yet known, fails if no operator fits; the message names the
// aclnn function that torch_npu looked for last and did not find.
ACL_FUNC_VISIBILITY void DescribeTensor();
ACL_FUNC_VISIBILITY void DescribeHostTensor();              // one of the described tensors lies on the host
ACL_FUNC_VISIBILITY void DescribeFormat(aclFormat format);  // in memory, of one of the tensors
ACL_FUNC_VISIBILITY void DescribeAttribute(const char *name);

}  // namespace sim
