// SPDX-License-Identifier: Apache-2.0
#include "npu_common.h"

#include <cstddef>
#include <functional>
#include <stdexcept>

#include "acl/acl.h"
#include "op_host/common/borders/acl_tensor.h"

// Declarations of torch_npu, which has no stable interface for its task queue. They repeat its public
// headers. NPUStream is larger here than there, which is safe: functions return such a class through an
// address that the caller provides.
namespace c10_npu {
class NPUStream {
 public:
  ~NPUStream() {}
  // Without `need_empty`, the call does not wait for the task queue.
  aclrtStream stream(const bool need_empty) const;

 private:
  alignas(std::max_align_t) std::byte storage_[64];
};
NPUStream getCurrentNPUStream(int8_t device_index);
}  // namespace c10_npu

namespace at_npu::native {
class OpCommand {
 public:
  static void RunOpApiV2(const std::string &name, const std::function<int()> &function, bool sync);
};
}  // namespace at_npu::native

namespace avo::torch_face {
namespace {

[[noreturn]] void Raise(const char *name, const char *phase, aclnnStatus code) {
  const char *message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(name) + ": " + (message != nullptr ? message : phase) + " (" +
                           std::to_string(code) + ")");
}

}  // namespace

struct NpuCall::Objects {
  std::vector<aclTensor *> tensors;
  std::vector<aclIntArray *> ints;
  std::vector<aclBoolArray *> bools;

  ~Objects() {
    for (aclTensor *tensor : tensors) aclDestroyTensor(tensor);
    for (aclIntArray *array : ints) aclDestroyIntArray(array);
    for (aclBoolArray *array : bools) aclDestroyBoolArray(array);
  }
};

NpuCall::NpuCall(const char *name, const TorchTensor &like)
    : name_(name), like_(like), guard_(like.get_device_index()), objects_(std::make_unique<Objects>()) {}

NpuCall::~NpuCall() = default;

const aclTensor *NpuCall::Input(const TorchTensor &tensor) { return Output(tensor); }

const aclTensor *NpuCall::Input(const std::optional<TorchTensor> &tensor) {
  return tensor ? Input(*tensor) : nullptr;
}

aclTensor *NpuCall::Output(const TorchTensor &tensor) {
  objects_->tensors.push_back(ToAcl(FromTorch(name_, tensor, like_)));
  return objects_->tensors.back();
}

const aclIntArray *NpuCall::Ints(const std::vector<int64_t> &values) {
  objects_->ints.push_back(aclCreateIntArray(values.data(), values.size()));
  return objects_->ints.back();
}

const aclBoolArray *NpuCall::Bools(const std::vector<int64_t> &values) {
  objects_->bools.push_back(BoolsToAcl(values));
  return objects_->bools.back();
}

void NpuCall::Run(aclnnStatus first_phase, SecondPhase second_phase) {
  if (first_phase != 0) Raise(name_, "the first phase failed", first_phase);
  // The tensor is freed when this function returns. The allocator then gives its memory only to work that is
  // queued after this call.
  std::optional<TorchTensor> workspace;
  void *address = nullptr;
  if (workspace_size_ > 0) {
    Tensor bytes{DType::kUInt8, {static_cast<int64_t>(workspace_size_)}, {1}, nullptr};
    workspace = AllocateLike((std::string(name_) + ": workspace").c_str(), like_, &bytes);
    address = bytes.data;
  }
  const aclrtStream stream = c10_npu::getCurrentNPUStream(like_.get_device_index()).stream(false);
  const std::shared_ptr<Objects> objects = std::move(objects_);
  const auto queued = [name = name_, objects, address, bytes = workspace_size_, executor = executor_, stream,
                       second_phase]() -> int {
    const aclnnStatus code = second_phase(address, bytes, executor, stream);
    if (code != 0) Raise(name, "the second phase failed", code);
    return code;
  };
  at_npu::native::OpCommand::RunOpApiV2(name_, queued, false);
}

TorchTensor AllocateLike(const char *what, const TorchTensor &like, Tensor *output) {
  try {
    TorchTensor tensor = torch::stable::new_empty(like, output->shape, ToTorch(output->dtype));
    output->data = const_cast<void *>(tensor.const_data_ptr());
    return tensor;
  } catch (const std::exception &) {  // its message is an expression of torch
    RaiseNoMemory(what, *output);
  }
}

}  // namespace avo::torch_face
