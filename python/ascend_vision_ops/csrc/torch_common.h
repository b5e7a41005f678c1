// SPDX-License-Identifier: Apache-2.0
// Conversions between torch's stable ABI and our types, which know no framework. Only this file and
// torch_*.cpp know torch.
#pragma once

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tensors/status.h"
#include "op_host/common/tensors/tensor.h"

namespace avo::torch_face {

using TorchTensor = torch::stable::Tensor;
using TorchType = torch::headeronly::ScalarType;

// In these functions, `what` begins messages: the names of the operator and of the parameter, "nms: boxes".

// A type that no contract has gives a value outside the enum, which the dtype check rejects. Raises where the
// C interface has no such type either.
DType FromTorch(const char *what, TorchType type);
TorchType ToTorch(DType dtype);

// Makes a view of the same memory with the same strides. Raises where the tensor is not on the device of
// `first`, the call's first tensor.
Tensor FromTorch(const char *what, const TorchTensor &tensor, const TorchTensor &first);
std::optional<Tensor> FromTorch(const char *what, const std::optional<TorchTensor> &tensor,
                                const TorchTensor &first);

// The same for tensors of direct calls (direct.h), which are views already.
inline const Tensor &FromTorch(const char * /*what*/, const Tensor &tensor, const Tensor & /*first*/) {
  return tensor;
}
inline const std::optional<Tensor> &FromTorch(const char * /*what*/, const std::optional<Tensor> &tensor,
                                              const Tensor & /*first*/) {
  return tensor;
}

// Does the same for a result in memory that the caller provides.
Tensor ResultFromTorch(const char *what, const TorchTensor &result, const TorchTensor &first);

// Raises for a status in which a contract reports an error, with the operator's name before the message.
void Check(const char *name, const Status &status);

// Allocates memory for an output that InferOutputs described. Raises where there is none.
TorchTensor Allocate(const char *what, Tensor *output);
// Does the same for (N, C, H, W) results with the memory format of the images `like`: channels-last where
// they are.
TorchTensor Allocate(const char *what, Tensor *output, const Tensor &like);

// Raises because there is no memory for an output.
[[noreturn]] void RaiseNoMemory(const char *what, const Tensor &output);

// Runs a CPU kernel of an operator. Raises an error in words where it gets no memory.
void Compute(const char *name, const std::function<void()> &kernel);

// Runs on torch's own threads, so that no second pool competes for the cores.
const ParallelFor &Threads();

}  // namespace avo::torch_face
