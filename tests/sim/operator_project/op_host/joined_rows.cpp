// SPDX-License-Identifier: Apache-2.0
// x + scale * y + bias, where scale and bias may be absent, and a second result for those who want it. The
// tiling asks for no workspace.
#include "operator_tilings.h"
#include "register/op_def_registry.h"

namespace ops {

static ge::graphStatus TileJoinedRows(gert::TilingContext *context) {
  // The fourth input is the bias, whether there is a scale or not.
  const gert::StorageShape *bias = context->GetInputShape(3);
  optiling::JoinedRowsTiling tiling;
  tiling.set_size(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
  tiling.rest.set_srcWidth(bias == nullptr ? 0U
                                           : static_cast<uint32_t>(bias->GetStorageShape().GetShapeSize()));
  tiling.set_extra(3);
  tiling.set_behind(static_cast<uint32_t>(*context->GetAttrs()->GetInt(0)));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

class JoinedRows : public OpDef {
 public:
  explicit JoinedRows(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("scale").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("copy").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("behind").AttrType(OPTIONAL).Int(0);  // elements behind the end of x that the kernel reads too
    this->AICore().SetTiling(TileJoinedRows);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(JoinedRows);

}  // namespace ops
