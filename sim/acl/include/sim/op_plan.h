// SPDX-License-Identifier: Apache-2.0
// Builds the executor of one aclnn call: it makes views dense on the device, launches kernels, and writes
// results back to their views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"

namespace sim {

struct Kernel;

// A tensor as a host function sees it when the stream runs the function.
struct HostTensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  void *data = nullptr;  // of the first element, for the host to read and write
};
using HostFunction = std::function<void(const std::vector<HostTensor> &tensors)>;

class ACL_FUNC_VISIBILITY OpPlan {
 public:
  OpPlan();
  ~OpPlan();
  OpPlan(const OpPlan &) = delete;
  OpPlan &operator=(const OpPlan &) = delete;

  // Returns the slot of a tensor's device address. Where the view is not dense, it is the address of a dense
  // copy in the workspace, which is made before the first kernel. A null tensor (an optional one) gives a
  // null address.
  int Input(const aclTensor *tensor);
  // As Input; the dense copy is copied back to the view after the last kernel.
  int Output(aclTensor *tensor);
  // Returns the slot of the memory from a tensor's first element on, which a kernel takes as dense whatever
  // the strides say. `name` is the tensor's in messages.
  int Dense(const aclTensor *tensor, const std::string &name);
  // Returns the slot of a tensor's view as it is, for host functions. `written`: they write to it. `peer`: it
  // may lie on another device than the stream.
  int View(const aclTensor *tensor, bool written, bool peer = false);
  // Returns the slot of a workspace for the kernel; 0 bytes give a null address. The kernel gets the address
  // behind the bytes that are to be skipped.
  int Workspace(uint64_t bytes, uint64_t skipped = 0);
  // Appends a launch. The arguments of the kernel are the addresses of `slots` and then the tiling, which is
  // copied here.
  void Launch(const Kernel &kernel, uint32_t block_dim, uint64_t tiling_key, const void *tiling,
              size_t tiling_bytes, const std::vector<int> &slots);
  // Appends a function for an operator that has no kernel. The thread of the stream runs it on the views of
  // `slots`; a null tensor has no data. An exception of the function is a failure of the stream.
  void Host(HostFunction function, const std::vector<int> &slots);
  // Makes the executor. Without launches it does nothing.
  aclnnStatus Finish(uint64_t *workspaceSize, aclOpExecutor **executor);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The second phase of an aclnn call: queues the kernels of the executor on the stream, and frees the executor
// unless it is repeatable.
ACL_FUNC_VISIBILITY aclnnStatus RunPlan(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                        aclrtStream stream);

// Return the values of an array; none for nullptr.
ACL_FUNC_VISIBILITY std::vector<int64_t> IntArrayValues(const aclIntArray *array);
ACL_FUNC_VISIBILITY std::vector<int64_t> IntArrayValues(const aclBoolArray *array);  // 0 and 1
ACL_FUNC_VISIBILITY std::vector<float> FloatArrayValues(const aclFloatArray *array);
ACL_FUNC_VISIBILITY std::vector<bool> BoolArrayValues(const aclBoolArray *array);

// Makes `message` the latest one of aclGetRecentErrMsg on this thread, and returns `code`.
ACL_FUNC_VISIBILITY aclnnStatus ReportError(int32_t code, const std::string &message);

// Does the same for the exception that is being handled. Its message follows the name of a C function.
// C functions end with this, because no exception may leave them.
ACL_FUNC_VISIBILITY aclnnStatus ReportException(int32_t code, const char *call) noexcept;

}  // namespace sim
