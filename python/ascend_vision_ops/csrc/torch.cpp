// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "op_cpu/common/copies/huge_pages.h"
#include "torch_common.h"

namespace avo::torch_face {
namespace {

struct TypePair {
  DType dtype;
  TorchType type;
};

constexpr TypePair kTypes[] = {
    {DType::kFloat32, TorchType::Float},     {DType::kFloat16, TorchType::Half},
    {DType::kBFloat16, TorchType::BFloat16}, {DType::kFloat64, TorchType::Double},
    {DType::kInt8, TorchType::Char},         {DType::kInt16, TorchType::Short},
    {DType::kInt32, TorchType::Int},         {DType::kInt64, TorchType::Long},
    {DType::kUInt8, TorchType::Byte},        {DType::kBool, TorchType::Bool},
};

std::string DeviceName(const TorchTensor &tensor) {
  switch (tensor.device().type()) {
    case torch::headeronly::DeviceType::CPU:
      return "cpu";
    case torch::headeronly::DeviceType::PrivateUse1:
      return "npu:" + std::to_string(tensor.get_device_index());
    default:
      return "another device";
  }
}

// Strides of an (N, C, H, W) tensor whose channels are adjacent in memory.
Shape LastStrides(const Shape &shape) {
  const int64_t pixel = shape[1], row = shape[3] * pixel;
  return {shape[2] * row, 1, row, pixel};
}

// Follows torch's is_contiguous: the stride of a dimension of size 1 does not count, and no stride of an
// empty tensor does.
bool HasStrides(const Tensor &tensor, const Shape &strides) {
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != strides[i]) return tensor.numel() == 0;
  }
  return true;
}

}  // namespace

DType FromTorch(TorchType type) {
  for (const TypePair &pair : kTypes) {
    if (pair.type == type) return pair.dtype;
  }
  return static_cast<DType>(-1);
}

TorchType ToTorch(DType dtype) {
  for (const TypePair &pair : kTypes) {
    if (pair.dtype == dtype) return pair.type;
  }
  throw std::invalid_argument("torch has no " + std::string(DTypeName(dtype)));
}

Tensor FromTorch(const TorchTensor &tensor) {
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  return {FromTorch(tensor.scalar_type()), Shape(sizes.begin(), sizes.end()),
          Shape(strides.begin(), strides.end()), const_cast<void *>(tensor.const_data_ptr())};
}

std::optional<Tensor> FromTorch(const std::optional<TorchTensor> &tensor) {
  return tensor ? std::optional<Tensor>(FromTorch(*tensor)) : std::nullopt;
}

Tensor ResultFromTorch(const char *name, const char *parameter, const TorchTensor &result,
                       const TorchTensor &like) {
  if (result.device() != like.device()) {
    const std::string device = DeviceName(result), wanted = DeviceName(like);
    if (device != wanted) {
      Check(name, Fail(StatusCode::kInvalid, parameter, ": expected a tensor on ", wanted, ", got one on ",
                       device));
    }
  }
  Tensor view = FromTorch(result);
  view.data = result.mutable_data_ptr();  // makes torch copy a lazily cloned tensor
  return view;
}

void Check(const char *name, const Status &status) {
  if (!status.ok()) throw std::runtime_error(std::string(name) + ": " + status.message);
}

TorchTensor Allocate(Tensor *output) {
  // torch::stable::empty would look its operator up by name, which takes 16% of the instructions of a small
  // call.
  AtenTensorHandle handle = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(
      output->rank(), output->shape.data(), output->strides.data(),
      torch::stable::detail::to<int32_t>(torch::stable::detail::from(ToTorch(output->dtype))),
      aoti_torch_device_type_cpu(), 0, &handle));
  TorchTensor tensor(handle);
  output->data = tensor.mutable_data_ptr();
  AdviseHugePages(output->data, output->numel() * DTypeSize(output->dtype));
  return tensor;
}

TorchTensor Allocate(Tensor *output, const Tensor &like) {
  const bool last =
      HasStrides(like, LastStrides(like.shape)) && !HasStrides(like, ContiguousStrides(like.shape));
  if (last) output->strides = LastStrides(output->shape);
  return Allocate(output);
}

const ParallelFor &Threads() {
  static const ParallelFor threads = [](int64_t count, int64_t grain, const auto &body) {
    torch::stable::parallel_for(0, count, grain, body);
  };
  return threads;
}

}  // namespace avo::torch_face
