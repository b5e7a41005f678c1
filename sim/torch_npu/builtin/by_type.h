// SPDX-License-Identifier: Apache-2.0
// Operators that torch_npu calls by type, without an aclnn function.
#pragma once

#include <string>
#include <vector>

#include "bridge.h"
#include "sim/operator_compiler.h"

namespace sim::builtin {

// Makes an operator known, all of which is filled but its `plan`. `run` gets the values of the call too;
// `check` throws where they are not simulated.
void AddByType(CompiledOperator added, void (*run)(const Tensors &tensors, const CallValues &values),
               void (*check)(const CallValues &values) = nullptr);

// The values of an input on the host.
inline std::vector<int64_t> IntegersAt(const CallValues &values, size_t place) {
  const std::vector<double> &numbers = values.constants.at(place);
  return {numbers.begin(), numbers.end()};
}

// The value of an attribute that is one integer or boolean; 0 where a call does not set it.
inline int64_t IntegerOf(const CallValues &values, const std::string &attribute) {
  const auto found = values.numbers.find(attribute);
  return found == values.numbers.end() ? 0 : found->second.at(0);
}

}  // namespace sim::builtin
