// SPDX-License-Identifier: Apache-2.0
// A stand-in of CANN's operator library: aclnnInplaceCopy, and a cumulative maximum that takes int8 alone. It
// counts what it is asked for.
#include "cann.h"

#include <cstring>
#include <vector>

#include "sim/op_plan.h"

namespace {

cann::Counts counts;
// What torch_npu sets before a call on its thread: that its cache is in use, and the key of the call in it.
thread_local bool in_torch_cache = false;
thread_local uint64_t torch_key = 0;

bool CachedByTorch() { return in_torch_cache && torch_key != 0; }

using Tensors = std::vector<sim::HostTensor>;

// Calls `visit` with the place of each element in each of two views of the same shape.
template <typename Visit>
void ForEach(const sim::HostTensor &a, const sim::HostTensor &b, const Visit &visit) {
  int64_t elements = 1;
  for (const int64_t size : a.shape) elements *= size;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, first = 0, second = 0;
    for (size_t dim = a.shape.size(); dim-- > 0; rest /= a.shape[dim]) {
      first += rest % a.shape[dim] * a.strides[dim];
      second += rest % b.shape[dim] * b.strides[dim];
    }
    visit(first, second);
  }
}

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
  sim::OpPlan plan;
  plan.Workspace(cann::kCopyBytes);
  const std::vector<int> slots = {plan.View(self, true), plan.View(src, false)};
  plan.Host(
      [](const Tensors &tensors) {
        const auto size = static_cast<int64_t>(aclDataTypeSize(tensors[0].dtype));
        ForEach(tensors[0], tensors[1], [&](int64_t to, int64_t from) {
          std::memcpy(static_cast<char *>(tensors[0].data) + to * size,
                      static_cast<const char *>(tensors[1].data) + from * size, size);
        });
      },
      slots);
  return plan.Finish(workspaceSize, executor);
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
      [](const Tensors &tensors) {
        ForEach(tensors[0], tensors[0],
                [&](int64_t place, int64_t) { static_cast<int8_t *>(tensors[0].data)[place] = cann::kMark; });
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
