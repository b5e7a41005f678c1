// SPDX-License-Identifier: Apache-2.0
// The functions and kernels of operator types, which libraries of operators register when they are loaded.
#pragma once

#include <string>
#include <vector>

#include "operators/kernels.h"
#include "register/op_impl_registry.h"

namespace sim::operators {

struct KernelEntry {
  std::vector<ge::DataType> dtypes;  // inputs, then outputs
  const Kernel *kernel = nullptr;
};

struct OperatorType {
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
  std::vector<KernelEntry> kernels;
};

// Returns what is registered of a type. Loads the packages first that ASCEND_CUSTOM_OPP_PATH names, folders
// with colons between them. Throws std::runtime_error where a library does not load.
OperatorType FindType(const std::string &type);

}  // namespace sim::operators
