// SPDX-License-Identifier: Apache-2.0
// Conversions from CANN's contexts of tiling and shape inference to our own types. Only the npu target
// includes this file.
#pragma once

#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "op_host/common/tensors/contract.h"
#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/plan.h"

namespace avo {

inline Shape FromGert(const gert::Shape &shape) {
  Shape result(shape.GetDimNum());
  for (size_t i = 0; i < result.size(); ++i) result[i] = shape.GetDim(i);
  return result;
}
inline Shape FromGert(const gert::StorageShape &shape) { return FromGert(shape.GetOriginShape()); }

inline void ToGert(const Shape &shape, gert::Shape *result) {
  result->SetDimNum(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) result->SetDim(i, shape[i]);
}

// Tensors are dense here, as the framework has made views contiguous. DType has the values of ge::DataType.
template <typename GertShape>
Tensor FromGert(const GertShape &shape, ge::DataType dtype) {
  Tensor tensor;
  tensor.dtype = static_cast<DType>(dtype);
  tensor.shape = FromGert(shape);
  tensor.strides = ContiguousStrides(tensor.shape);
  return tensor;
}

inline Shape ListAttribute(const gert::RuntimeAttrs &attributes, size_t index) {
  const auto *list = attributes.GetListInt(index);
  return list == nullptr ? Shape() : Shape(list->GetData(), list->GetData() + list->GetSize());
}

// Float attributes of an operator definition have 32 bits. The aclnn wrapper passes the bits of the exact
// double in an int attribute after it. Graphs leave that attribute at 0.
inline double DoubleAttribute(const gert::RuntimeAttrs &attributes, size_t index) {
  const int64_t bits = *attributes.GetInt(index + 1);
  return bits == 0 ? *attributes.GetFloat(index) : DoubleFromBits(bits);
}

inline bool IsKnown(const Tensor &tensor) {
  for (const int64_t extent : tensor.shape) {
    if (extent < 0) return false;
  }
  return true;
}

// Passes a plan to the framework: launch, key, workspace and the bytes of the tiling struct. With
// `cores_meet`, all cores start together. Otherwise the kernels of two streams could each hold cores for
// which the other one waits.
template <typename TilingStruct>
ge::graphStatus Submit(const Plan<TilingStruct> &plan, size_t library_workspace, bool cores_meet,
                       gert::TilingContext *context) {
  constexpr uint32_t kBatchMode = 1;
  gert::TilingData *raw = context->GetRawTilingData();
  size_t *workspaces = context->GetWorkspaceSizes(1);
  if (raw == nullptr || workspaces == nullptr || raw->GetCapacity() < sizeof(TilingStruct))
    return ge::GRAPH_FAILED;
  std::memcpy(raw->GetData(), &plan.tiling, sizeof(TilingStruct));
  raw->SetDataSize(sizeof(TilingStruct));
  workspaces[0] = plan.workspace + library_workspace;
  context->SetBlockDim(plan.block_dim);
  if (cores_meet && context->SetScheduleMode(kBatchMode) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
  return context->SetTilingKey(plan.tiling_key);
}

}  // namespace avo
