// SPDX-License-Identifier: Apache-2.0
// What a function is given that finds the dtypes of results.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  ge::DataType GetInputDataType(size_t index) const { return DtypeOf(node_->inputs.At(index)); }
  ge::DataType GetRequiredInputDataType(size_t index) const { return DtypeOf(node_->inputs.Of(index)); }
  ge::DataType GetOptionalInputDataType(size_t index) const { return DtypeOf(node_->inputs.Of(index)); }
  ge::DataType GetDynamicInputDataType(size_t index, size_t place) const {
    return DtypeOf(node_->inputs.Of(index, place));
  }
  ge::DataType GetOutputDataType(size_t index) const { return DtypeOf(node_->outputs.At(index)); }
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType dtype) {
    if (index >= node_->outputs.tensors.size()) return ge::GRAPH_FAILED;
    node_->outputs.tensors[index].Desc().SetDataType(dtype);
    return ge::GRAPH_SUCCESS;
  }

 private:
  static ge::DataType DtypeOf(const Tensor *tensor) {
    return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType();
  }
};

}  // namespace gert
