// SPDX-License-Identifier: Apache-2.0
// Builds the executor of one aclnn call: views made dense on the device, kernel launches, results written
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"

namespace sim {

struct Kernel;

class ACL_FUNC_VISIBILITY OpPlan {
 public:
  OpPlan();
  ~OpPlan();
  OpPlan(const OpPlan &) = delete;
  OpPlan &operator=(const OpPlan &) = delete;

  // Slot of a tensor's device address: the tensor itself when its view is dense, else a dense copy in the
  // workspace, made before the first kernel. A null tensor (an optional one) gives a null address.
  int Input(const aclTensor *tensor);
  // As Input; the dense copy is written back to the view after the last kernel.
  int Output(aclTensor *tensor);
  // Slot of the kernel's own workspace; 0 bytes give a null address.
  int Workspace(uint64_t bytes);
  // Appends a launch; the addresses of `slots` are the kernel's arguments, the tiling (copied here) comes
  // last.
  void Launch(const Kernel &kernel, uint32_t block_dim, uint64_t tiling_key, const void *tiling,
              size_t tiling_bytes, const std::vector<int> &slots);
  // Hands the plan over. A plan without launches is an executor that does nothing.
  aclnnStatus Finish(uint64_t *workspaceSize, aclOpExecutor **executor);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Second phase of an aclnn call: queues the executor's kernels on the stream and, unless repeatable, frees
// it.
ACL_FUNC_VISIBILITY aclnnStatus RunPlan(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                        aclrtStream stream);

// The values of an array argument; empty for nullptr.
ACL_FUNC_VISIBILITY std::vector<int64_t> IntArrayValues(const aclIntArray *array);
ACL_FUNC_VISIBILITY std::vector<int64_t> IntArrayValues(const aclBoolArray *array);  // 0 and 1
ACL_FUNC_VISIBILITY std::vector<float> FloatArrayValues(const aclFloatArray *array);
ACL_FUNC_VISIBILITY std::vector<bool> BoolArrayValues(const aclBoolArray *array);

// Makes `message` the latest of this thread's aclGetRecentErrMsg; returns `code`.
ACL_FUNC_VISIBILITY aclnnStatus ReportError(int32_t code, const std::string &message);

}  // namespace sim
