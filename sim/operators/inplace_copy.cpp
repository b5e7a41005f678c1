// SPDX-License-Identifier: Apache-2.0
#include "inplace_copy.h"

#include <cstring>
#include <vector>

#include "sim/op_plan.h"

namespace sim::operators {
namespace {

// Copies element by element, as both views may have any strides.
void Copy(const HostTensor &to, const HostTensor &from) {
  const auto size = static_cast<int64_t>(aclDataTypeSize(to.dtype));
  int64_t elements = 1;
  for (const int64_t extent : to.shape) elements *= extent;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, there = 0, here = 0;
    for (size_t dim = to.shape.size(); dim-- > 0; rest /= to.shape[dim]) {
      there += rest % to.shape[dim] * to.strides[dim];
      here += rest % to.shape[dim] * from.strides[dim];
    }
    std::memcpy(static_cast<char *>(to.data) + there * size,
                static_cast<const char *>(from.data) + here * size, size);
  }
}

}  // namespace

aclnnStatus PlanInplaceCopy(aclTensor *self, const aclTensor *source, uint64_t workspace_bytes,
                            uint64_t *workspace_size, aclOpExecutor **executor) {
  OpPlan plan;
  plan.Workspace(workspace_bytes);
  const std::vector<int> slots = {plan.View(self, true), plan.View(source, false)};
  plan.Host([](const std::vector<HostTensor> &tensors) { Copy(tensors[0], tensors[1]); }, slots);
  return plan.Finish(workspace_size, executor);
}

}  // namespace sim::operators
