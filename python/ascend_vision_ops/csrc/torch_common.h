// SPDX-License-Identifier: Apache-2.0
// Between torch's stable ABI and the framework-free types: the only place beside torch_*.cpp that knows
// torch.
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

// Types of no contract give a value outside the enum, which the dtype check then rejects.
DType FromTorch(TorchType type);
TorchType ToTorch(DType dtype);

// A view of the same memory; strides go through as they are.
Tensor FromTorch(const TorchTensor &tensor);
std::optional<Tensor> FromTorch(const std::optional<TorchTensor> &tensor);

// A view of a result's memory, which the caller brought; raises where it is not on the device of `like`, the
// call's first tensor. The operator's name and the parameter's are for the message.
Tensor ResultFromTorch(const char *name, const char *parameter, const TorchTensor &result,
                       const TorchTensor &like);

// Raises what a contract found wrong, the operator's name before the message.
void Check(const char *name, const Status &status);

// Memory for an output that InferOutputs described.
TorchTensor Allocate(Tensor *output);
// The same for (N, C, H, W) results that lie in memory as the images `like`: channels-last where these are.
TorchTensor Allocate(Tensor *output, const Tensor &like);

// torch's own threads, so that no second pool fights for the cores.
const ParallelFor &Threads();

}  // namespace avo::torch_face
