// SPDX-License-Identifier: Apache-2.0
// One aclnn call on npu tensors: through torch_npu's task queue, on its current stream, with its allocator's
// memory.
#pragma once

#include <torch/csrc/stable/accelerator.h>

#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "torch_common.h"

namespace avo::torch_face {

// Second phase of an entry point.
using SecondPhase = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

// Hidden, as torch's stable types are.
class __attribute__((visibility("hidden"))) NpuCall {
 public:
  // `like` is a tensor of the device that the call runs on.
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

  // Raises what the first phase found wrong; else queues the second.
  void Run(aclnnStatus first_phase, SecondPhase second_phase);

 private:
  // What the queued call needs until it has run; freed by it, or by ~NpuCall when it never got that far.
  struct Objects;

  const char *name_;
  TorchTensor like_;
  torch::stable::accelerator::DeviceGuard guard_;
  std::unique_ptr<Objects> objects_;
  uint64_t workspace_size_ = 0;
  aclOpExecutor *executor_ = nullptr;
};

// Memory on the device of `like` for an output that InferOutputs described.
TorchTensor AllocateLike(const TorchTensor &like, Tensor *output);

}  // namespace avo::torch_face
