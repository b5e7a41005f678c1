// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <new>
#include <stdexcept>

#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/parallel/first_error.h"
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

// Types that no contract has. Their numbers are those of aclDataType, for which DTypeName has names.
constexpr TypePair kForeign[] = {
    {static_cast<DType>(7), TorchType::UInt16},         {static_cast<DType>(8), TorchType::UInt32},
    {static_cast<DType>(10), TorchType::UInt64},        {static_cast<DType>(16), TorchType::ComplexFloat},
    {static_cast<DType>(17), TorchType::ComplexDouble}, {static_cast<DType>(33), TorchType::ComplexHalf},
    {static_cast<DType>(35), TorchType::Float8_e5m2},   {static_cast<DType>(36), TorchType::Float8_e4m3fn},
};

// torch's own name of a type, in small letters as in Python.
std::string NameOf(TorchType type) {
  std::string name = torch::headeronly::toString(type);
  for (char &letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

// The type of a tensor. The stable ABI's own function fails for types that it does not know.
TorchType TypeOf(const TorchTensor &tensor) {
  int32_t type = 0;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(tensor.get(), &type));
  return static_cast<TorchType>(type);
}

std::string DeviceName(const TorchTensor &tensor) {
  switch (tensor.device().type()) {
    case torch::headeronly::DeviceType::CPU:
      return "cpu";
    case torch::headeronly::DeviceType::Meta:
      return "meta";
    case torch::headeronly::DeviceType::PrivateUse1:
      return "npu:" + std::to_string(tensor.get_device_index());
    default:
      return "another device";
  }
}

// Follows torch's is_contiguous: the stride of a dimension of size 1 does not count, and no stride of an
// empty tensor does.
bool HasStrides(const Tensor &tensor, const Shape &strides) {
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != strides[i]) return tensor.numel() == 0;
  }
  return true;
}

// Raises where a tensor is not on the device of the first one.
void CheckDevice(const char *what, const TorchTensor &tensor, const TorchTensor &first) {
  if (tensor.get() == first.get() || tensor.device() == first.device()) return;
  const std::string device = DeviceName(tensor), wanted = DeviceName(first);
  if (device == wanted) return;
  Check(what, Fail(StatusCode::kInvalid, "expected a tensor on ", wanted, ", got one on ", device));
}

}  // namespace

DType FromTorch(const char *what, TorchType type) {
  for (const TypePair &pair : kTypes) {
    if (pair.type == type) return pair.dtype;
  }
  for (const TypePair &pair : kForeign) {
    if (pair.type == type) return pair.dtype;
  }
  throw std::runtime_error(std::string(what) + ": expected a dtype that NPUs have, got " + NameOf(type));
}

TorchType ToTorch(DType dtype) {
  for (const TypePair &pair : kTypes) {
    if (pair.dtype == dtype) return pair.type;
  }
  throw std::invalid_argument("torch has no " + std::string(DTypeName(dtype)));
}

Tensor FromTorch(const char *what, const TorchTensor &tensor, const TorchTensor &first) {
  if (!tensor.defined()) Check(what, Fail(StatusCode::kNullptr, "expected a tensor, got none"));
  CheckDevice(what, tensor, first);
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  return {FromTorch(what, TypeOf(tensor)), Shape(sizes.begin(), sizes.end()),
          Shape(strides.begin(), strides.end()), const_cast<void *>(tensor.const_data_ptr())};
}

std::optional<Tensor> FromTorch(const char *what, const std::optional<TorchTensor> &tensor,
                                const TorchTensor &first) {
  return tensor ? std::optional<Tensor>(FromTorch(what, *tensor, first)) : std::nullopt;
}

Tensor ResultFromTorch(const char *what, const TorchTensor &result, const TorchTensor &first) {
  Tensor view = FromTorch(what, result, first);
  view.data = result.mutable_data_ptr();  // makes torch copy a lazily cloned tensor
  return view;
}

void Check(const char *name, const Status &status) {
  if (!status.ok()) throw std::runtime_error(std::string(name) + ": " + status.message);
}

void RaiseNoMemory(const char *what, const Tensor &output) {
  const int64_t bytes = output.numel() * DTypeSize(output.dtype);
  throw std::runtime_error(std::string(what) + ": out of memory: expected " + std::to_string(bytes) +
                           " bytes for the result, got none");
}

void Compute(const char *name, const std::function<void()> &kernel) {
  try {
    kernel();
  } catch (const std::bad_alloc &) {
    throw std::runtime_error(std::string(name) +
                             ": out of memory: expected memory for intermediate results, got none");
  }
}

TorchTensor Allocate(const char *what, Tensor *output) {
  // torch::stable::empty would look its operator up by name, which takes 16% of the instructions of a small
  // call.
  AtenTensorHandle handle = nullptr;
  const auto failed = aoti_torch_empty_strided(
      output->rank(), output->shape.data(), output->strides.data(),
      torch::stable::detail::to<int32_t>(torch::stable::detail::from(ToTorch(output->dtype))),
      aoti_torch_device_type_cpu(), 0, &handle);
  if (failed != 0) RaiseNoMemory(what, *output);
  TorchTensor tensor(handle);
  output->data = tensor.mutable_data_ptr();
  AdviseHugePages(output->data, output->numel() * DTypeSize(output->dtype));
  return tensor;
}

TorchTensor Allocate(const char *what, Tensor *output, const Tensor &like) {
  const bool last =
      HasStrides(like, ChannelsLastStrides(like.shape)) && !HasStrides(like, ContiguousStrides(like.shape));
  if (last) output->strides = ChannelsLastStrides(output->shape);
  return Allocate(what, output);
}

const ParallelFor &Threads() {
  static const ParallelFor threads = [](int64_t count, int64_t grain, const auto &body) {
    if (count <= grain) {  // torch would find the same, but later
      if (count > 0) body(0, count);
      return;
    }
    FirstError error;  // an exception that torch passes on loses its message
    torch::stable::parallel_for(0, count, grain,
                                [&](int64_t begin, int64_t end) { error.Guard([&] { body(begin, end); }); });
    error.Rethrow();
  };
  return threads;
}

}  // namespace avo::torch_face
