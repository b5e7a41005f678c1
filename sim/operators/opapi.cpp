// SPDX-License-Identifier: Apache-2.0
// The toolkit's library of built-in operators.
#include "inplace_copy.h"
#include "sim/op_plan.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *self, const aclTensor *source,
                                                      uint64_t *workspaceSize, aclOpExecutor **executor) {
  constexpr uint64_t kWorkspaceBytes = 96;
  return sim::operators::PlanInplaceCopy(self, source, kWorkspaceBytes, workspaceSize, executor);
}

EXPORTED aclnnStatus aclnnInplaceCopy(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                      aclrtStream stream) {
  return sim::RunPlan(workspace, workspaceSize, executor, stream);
}
