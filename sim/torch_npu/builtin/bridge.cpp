// SPDX-License-Identifier: Apache-2.0
#include "bridge.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <cstring>
#include <stdexcept>

#include "on_tensors.h"
#include "opbase/arrays.h"
#include "sim/sim_runtime.h"

namespace sim::builtin {
namespace {

// torch_npu has a task queue for each device. It waits for an event on the queue of the device that waits,
// and destroys it on the queue of the device that recorded it. Nothing orders the two queues.
[[maybe_unused]] const bool waits_for_destroyed_events = simWaitForDestroyedEvents(1) == ACL_SUCCESS;

template <typename T>
T Load(const aclScalar *scalar) {
  T value;
  std::memcpy(&value, scalar->value.data(), sizeof(T));
  return value;
}

at::Tensor OnMemory(const HostTensor &tensor) {
  if (tensor.dtype == ACL_DT_UNDEFINED) return {};
  const auto options = at::TensorOptions().dtype(TypeOf(tensor.dtype));
  return at::from_blob(tensor.data, tensor.shape, tensor.strides, options);
}

}  // namespace

size_t Call::Add(const aclTensor *tensor, bool written) {
  if (tensor != nullptr) TypeOf(tensor->state->dtype);  // refuses the call before the stream has it
  slots.push_back(plan.View(tensor, written));
  return slots.size() - 1;
}

NumbersArgument::NumbersArgument(Call &call, const void *list_or_tensor) {
  uint64_t word = 0;
  if (list_or_tensor != nullptr) std::memcpy(&word, list_or_tensor, sizeof(word));
  if (word != aclScalarList::kTag) {
    place = call.Add(static_cast<const aclTensor *>(list_or_tensor), false);
    return;
  }
  for (const aclScalar *scalar : static_cast<const aclScalarList *>(list_or_tensor)->members)
    values.push_back(NumberOf(scalar).value());
}

std::vector<at::Scalar> NumbersArgument::operator()(const Tensors &views) const {
  if (!place) return values;
  std::vector<at::Scalar> read;
  for (int64_t i = 0; i < views[*place].numel(); ++i) read.push_back(views[*place].view(-1)[i].item());
  return read;
}

FoundArgument::FoundArgument(Call &call, aclTensor *tensor)
    : place(call.Add(tensor, true)), state(tensor->state) {}

void Found::Give(const at::Tensor &result) const {
  if (result.numel() > 0) memory.view(-1).slice(0, 0, result.numel()).copy_(result.reshape(-1));
  state->shape = result.sizes().vec();
  state->strides = result.contiguous().strides().vec();
}

at::ScalarType TypeOf(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return at::kFloat;
    case ACL_FLOAT16:
      return at::kHalf;
    case ACL_BF16:
      return at::kBFloat16;
    case ACL_DOUBLE:
      return at::kDouble;
    case ACL_INT8:
      return at::kChar;
    case ACL_INT16:
      return at::kShort;
    case ACL_INT32:
      return at::kInt;
    case ACL_INT64:
      return at::kLong;
    case ACL_UINT8:
      return at::kByte;
    case ACL_UINT16:
      return at::kUInt16;
    case ACL_UINT32:
      return at::kUInt32;
    case ACL_UINT64:
      return at::kUInt64;
    case ACL_BOOL:
      return at::kBool;
    case ACL_COMPLEX64:
      return at::kComplexFloat;
    case ACL_COMPLEX128:
      return at::kComplexDouble;
    default:
      throw std::invalid_argument("expected a dtype of torch's CPU operators, got aclDataType " +
                                  std::to_string(dtype) +
                                  ", with which the simulated device does not compute");
  }
}

std::optional<at::Scalar> NumberOf(const aclScalar *scalar) {
  if (scalar == nullptr) return std::nullopt;
  switch (scalar->dtype) {
    case ACL_FLOAT:
      return Load<float>(scalar);
    case ACL_FLOAT16:
      return static_cast<float>(Load<at::Half>(scalar));
    case ACL_BF16:
      return static_cast<float>(Load<at::BFloat16>(scalar));
    case ACL_DOUBLE:
      return Load<double>(scalar);
    case ACL_INT8:
      return Load<int8_t>(scalar);
    case ACL_INT16:
      return Load<int16_t>(scalar);
    case ACL_INT32:
      return Load<int32_t>(scalar);
    case ACL_INT64:
      return Load<int64_t>(scalar);
    case ACL_UINT8:
      return Load<uint8_t>(scalar);
    case ACL_BOOL:
      return Load<bool>(scalar);
    case ACL_COMPLEX64:
      return Load<c10::complex<float>>(scalar);
    case ACL_COMPLEX128:
      return Load<c10::complex<double>>(scalar);
    default:
      throw std::invalid_argument("an aclScalar of type " + std::to_string(scalar->dtype));
  }
}

std::vector<const aclTensor *> MembersOf(const aclTensorList *list) {
  return list == nullptr ? std::vector<const aclTensor *>()
                         : std::vector<const aclTensor *>(list->members.begin(), list->members.end());
}

std::string TextOf(const char *text) { return text == nullptr ? "" : text; }

HostFunction OnTensors(const char *name, std::function<void(const Tensors &)> body) {
  return [name, body = std::move(body)](const std::vector<HostTensor> &tensors) {
    const c10::InferenceMode plain;  // no gradients, no version counters
    Tensors views;
    for (const HostTensor &tensor : tensors) views.push_back(OnMemory(tensor));
    try {
      body(views);
    } catch (const c10::Error &error) {
      throw std::runtime_error(std::string(name) + ": " + error.what_without_backtrace());
    }
  };
}

aclnnStatus Finish(Call &call, const char *name, std::function<void(const Tensors &)> body,
                   uint64_t *workspace, aclOpExecutor **executor) {
  call.plan.Host(OnTensors(name, std::move(body)), call.slots);
  return call.plan.Finish(workspace, executor);
}

}  // namespace sim::builtin
