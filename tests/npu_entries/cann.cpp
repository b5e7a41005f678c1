// SPDX-License-Identifier: Apache-2.0
// A stand-in of CANN's operator library: aclnnInplaceCopy, and a cumulative maximum that takes int8 alone. It
// counts what it is asked for.
#include "cann.h"

#include <vector>

#include "inplace_copy.h"
#include "sim/op_plan.h"

namespace {

cann::Counts counts;
// What torch_npu sets before a call on its thread: that its cache is in use, and the key of the call in it.
thread_local bool in_torch_cache = false;
thread_local uint64_t torch_key = 0;

bool CachedByTorch() { return in_torch_cache && torch_key != 0; }

}  // namespace

extern "C" {

const cann::Counts *CannCounts() { return &counts; }

void InitPTACacheThreadLocal() {
  in_torch_cache = true;
  torch_key = 0;
}
void SetPTAHashKey(uint64_t key) { torch_key = key; }
void UnInitPTACacheThreadLocal() { in_torch_cache = false; }

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *self, const aclTensor *src, uint64_t *workspaceSize,
                                             aclOpExecutor **executor) {
  ++counts.copies_planned;
  counts.cached_by_torch += CachedByTorch();
  return sim::operators::PlanInplaceCopy(self, src, cann::kCopyBytes, workspaceSize, executor);
}

aclnnStatus aclnnInplaceCopy(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream) {
  ++counts.copies_run;
  return sim::RunPlan(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnCummaxGetWorkspaceSize(const aclTensor *self, int64_t, aclTensor *valuesOut, aclTensor *,
                                        uint64_t *workspaceSize, aclOpExecutor **executor) {
  ++counts.asked;
  counts.cached_by_torch += CachedByTorch();
  aclDataType dtype = ACL_DT_UNDEFINED;
  if (self != nullptr) aclGetDataType(self, &dtype);
  if (dtype != ACL_INT8) return sim::ReportError(161002, "CANN takes int8 alone");
  sim::OpPlan plan;
  plan.Host(
      [](const std::vector<sim::HostTensor> &tensors) {
        const sim::HostTensor &values = tensors[0];
        for (int64_t row = 0; row < values.shape[0]; ++row) {
          for (int64_t column = 0; column < values.shape[1]; ++column) {
            const int64_t place = row * values.strides[0] + column * values.strides[1];
            static_cast<int8_t *>(values.data)[place] = cann::kMark;
          }
        }
      },
      {plan.View(valuesOut, true)});
  return plan.Finish(workspaceSize, executor);
}

aclnnStatus aclnnCummax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                        aclrtStream stream) {
  ++counts.run;
  return sim::RunPlan(workspace, workspaceSize, executor, stream);
}

}  // extern "C"
