// SPDX-License-Identifier: Apache-2.0
// The functions and kernels of operator types, which libraries of operators register when they are loaded.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "operators/kernels.h"
#include "register/op_impl_registry.h"

namespace sim::operators {

constexpr size_t kTilingCapacity = 16 * 1024;

struct KernelEntry {
  std::vector<ge::DataType> dtypes;  // inputs, then outputs
  const Kernel *kernel = nullptr;
};

struct OperatorType {
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
  size_t tiling_capacity = kTilingCapacity;
  gert::OpImplRegisterV2::TilingParseFunc tiling_parse = nullptr;
  gert::OpImplRegisterV2::CompileInfoMaker make_compile_info = nullptr;
  std::set<int32_t> values_on_host;  // inputs, by number
  bool same_dtype = false;           // the results have the dtype of the first input
  std::vector<KernelEntry> kernels;
};

// Runs a tiling. Where there is a TilingParse, that ran once before for the type and the device. Returns what
// they return.
ge::graphStatus RunTiling(const OperatorType &type, gert::Node *node, gert::TilingResult *result);

// Returns what is registered of a type. Loads the packages first that ASCEND_CUSTOM_OPP_PATH names, folders
// with colons between them. Throws std::runtime_error where a library does not load.
OperatorType FindType(const std::string &type);

}  // namespace sim::operators
