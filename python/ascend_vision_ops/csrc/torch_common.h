// SPDX-License-Identifier: Apache-2.0
// Conversions between torch's stable ABI and our types, which know no framework. Only this file and
// torch_*.cpp know torch.
#pragma once

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

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

// A type that no contract has gives a value outside the enum, which the dtype check rejects.
DType FromTorch(TorchType type);
TorchType ToTorch(DType dtype);

// Makes a view of the same memory with the same strides.
Tensor FromTorch(const TorchTensor &tensor);
std::optional<Tensor> FromTorch(const std::optional<TorchTensor> &tensor);

// Makes a view of a result's memory that the caller provides. Raises where it is not on the device of `like`,
// the call's first tensor. The message contains the names of the operator and of the parameter.
Tensor ResultFromTorch(const char *name, const char *parameter, const TorchTensor &result,
                       const TorchTensor &like);

// Raises for a status in which a contract reports an error, with the operator's name before the message.
void Check(const char *name, const Status &status);

// Allocates memory for an output that InferOutputs described.
TorchTensor Allocate(Tensor *output);
// Does the same for (N, C, H, W) results with the memory format of the images `like`: channels-last where
// they are.
TorchTensor Allocate(Tensor *output, const Tensor &like);

// Runs on torch's own threads, so that no second pool competes for the cores.
const ParallelFor &Threads();

}  // namespace avo::torch_face
