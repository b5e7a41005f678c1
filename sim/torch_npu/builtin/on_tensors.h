// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "bridge.h"
#include "sim/operator_compiler.h"

namespace sim::builtin {

// Returns a step of a stream that runs `body` on the views as ATen's tensors. `name` is the function's in
// messages, and must outlive the step.
HostFunction OnTensors(const char *name, std::function<void(const Tensors &)> body);

// Makes an operator known that torch_npu calls by type. `run` gets the values of the call too, and `check`
// throws where they are not simulated; the rest is as in CompiledOperator.
struct OperatorByType {
  const char *type;
  size_t inputs;
  size_t outputs;
  const char *attribute;
  void (*run)(const Tensors &tensors, const CallValues &values);
  size_t on_host = 0;
  void (*check)(const CallValues &values) = nullptr;
  size_t optional = 0;
  std::vector<StridedView> views = {};
};
void Add(OperatorByType added);

// The values of an input on the host.
inline std::vector<int64_t> IntegersAt(const CallValues &values, size_t place) {
  const std::vector<double> &numbers = values.constants.at(place);
  return {numbers.begin(), numbers.end()};
}

}  // namespace sim::builtin
