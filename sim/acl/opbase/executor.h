// SPDX-License-Identifier: Apache-2.0
// The content of an aclOpExecutor: addresses that are still to be found, and kernel launches that use them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/launch.h"
#include "sim/op_plan.h"
#include "tensor.h"

namespace sim::opbase {

// Where a kernel argument comes from: a tensor, bytes of the workspace, or neither, which gives a null
// address.
struct Slot {
  std::shared_ptr<const TensorState> tensor;
  std::string name;      // of a tensor, for messages: "input 0"
  bool written = false;  // a view that a host function writes
  bool peer = false;     // a view that may lie on another device than the stream
  bool dense = false;    // taken as dense from its first element on, whatever its strides say
  uint64_t workspace_offset = 0;
  uint64_t workspace_bytes = 0;
};

// A kernel, or a function that takes its place.
struct Step {
  runtime::KernelLaunch launch;
  std::vector<int> slots;
  HostFunction host;
};

}  // namespace sim::opbase

struct aclOpExecutor {
  std::vector<sim::opbase::Slot> slots;
  std::vector<sim::opbase::Step> steps;
  uint64_t workspace_bytes = 0;
  bool repeatable = false;
};

namespace sim::opbase {

aclOpExecutor *HandOver(std::shared_ptr<aclOpExecutor> executor);

}  // namespace sim::opbase
