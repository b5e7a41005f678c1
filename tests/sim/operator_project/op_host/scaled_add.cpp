// SPDX-License-Identifier: Apache-2.0
// z = x + alpha * y, and + bias where there is one. The sizes are multiples of 16.
#include "log/log.h"
#include "operator_tilings.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static ge::graphStatus TileScaledAdd(gert::TilingContext *context) {
  constexpr uint32_t kTile = 1024;
  constexpr int64_t kMultiple = 16;
  const int64_t size = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  if (size % kMultiple != 0) {
    OP_LOGE(context, "expected a multiple of 16 elements, got %ld", static_cast<long>(size));
    return ge::GRAPH_FAILED;
  }
  const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
  const uint32_t tiles = (static_cast<uint32_t>(size) + kTile - 1) / kTile;
  ScaledAddTiling tiling;
  tiling.set_size(static_cast<uint32_t>(size));
  tiling.tile.set_elements(kTile);
  tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
  const float offsets[] = {*context->GetAttrs()->GetFloat(1), 0};
  tiling.set_offsets(offsets);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(tiles < cores ? tiles : cores);
  context->SetTilingKey(context->GetOptionalInputShape(2) != nullptr ? 1 : 0);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ops {

static ge::graphStatus InferScaledAdd(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferScaledAddType(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

class ScaledAdd : public OpDef {
 public:
  explicit ScaledAdd(const char *name) : OpDef(name) {
    for (const char *input : {"x", "y"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    }
    this->Input("bias")
        .ParamType(OPTIONAL)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("alpha").AttrType(REQUIRED).Float();
    this->Attr("offset").AttrType(OPTIONAL).Float(0);
    this->SetInferShape(InferScaledAdd).SetInferDataType(InferScaledAddType);
    this->AICore().SetTiling(optiling::TileScaledAdd);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(ScaledAdd);

}  // namespace ops
