// SPDX-License-Identifier: Apache-2.0
// One aclnn call on npu tensors. It goes through torch_npu's task queue to the current stream and uses memory
// of torch_npu's allocator.
#pragma once

#include <torch/csrc/stable/accelerator.h>

#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "torch_common.h"

namespace avo::torch_face {

// The second phase of an entry point.
using SecondPhase = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

// The class is hidden, because torch's stable types are.
class __attribute__((visibility("hidden"))) NpuCall {
 public:
  // `like` is a tensor on the device that the call runs on.
  NpuCall(const char *name, const TorchTensor &like);
  ~NpuCall();
  NpuCall(const NpuCall &) = delete;
  NpuCall &operator=(const NpuCall &) = delete;

  const aclTensor *Input(const TorchTensor &tensor);
  const aclTensor *Input(const std::optional<TorchTensor> &tensor);
  aclTensor *Output(const TorchTensor &tensor);
  const aclIntArray *Ints(const std::vector<int64_t> &values);
  const aclBoolArray *Bools(const std::vector<int64_t> &values);

  uint64_t *workspace_size() { return &workspace_size_; }
  aclOpExecutor **executor() { return &executor_; }

  // Raises an error of the first phase; otherwise queues the second phase.
  void Run(aclnnStatus first_phase, SecondPhase second_phase);

 private:
  // Memory that the queued call needs until it has run. The call frees it, or ~NpuCall does when nothing was
  // queued.
  struct Objects;

  const char *name_;
  TorchTensor like_;
  torch::stable::accelerator::DeviceGuard guard_;
  std::unique_ptr<Objects> objects_;
  uint64_t workspace_size_ = 0;
  aclOpExecutor *executor_ = nullptr;
};

// Allocates memory for an output that InferOutputs described, on the device of `like`. Raises where there is
// none.
TorchTensor AllocateLike(const char *what, const TorchTensor &like, Tensor *output);

}  // namespace avo::torch_face
