// SPDX-License-Identifier: Apache-2.0
// The first elements of each tensor of a list, a row for each. How many is a tensor whose value the host
// reads.
#include "operator_tilings.h"
#include "register/op_def_registry.h"

namespace ops {

static ge::graphStatus TileFirstElements(gert::TilingContext *context) {
  const auto *list = context->GetIrInputInstanceInfo(0);
  auto *tiling = context->GetTilingData<uint32_t[2]>();
  (*tiling)[0] = static_cast<uint32_t>(list->GetInstanceNum());
  (*tiling)[1] = static_cast<uint32_t>(context->GetOutputShape(0)->GetStorageShape().GetDim(1));
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferFirstElements(gert::InferShapeContext *context) {
  const size_t tensors = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  const gert::Tensor *count = context->GetInputTensor(tensors);
  *context->GetOutputShape(0) = {static_cast<int64_t>(tensors), *count->GetData<int64_t>()};
  return ge::GRAPH_SUCCESS;
}

class FirstElements : public OpDef {
 public:
  explicit FirstElements(const char *name) : OpDef(name) {
    this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("count")
        .ParamType(REQUIRED)
        .ValueDepend(REQUIRED)
        .DataType({ge::DT_INT64})
        .Format({ge::FORMAT_ND});
    this->Output("rows").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(InferFirstElements);
    this->AICore().SetTiling(TileFirstElements);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(FirstElements);

}  // namespace ops
