// SPDX-License-Identifier: Apache-2.0
// An operator whose kernel is a template: the tiling key says with which arguments it is compiled.
#include "../op_kernel/scaled_power_keys.h"
#include "log/log.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus TileScaledPower(gert::TilingContext *context) {
  ScaledPowerTiling *tiling = context->GetTilingData<ScaledPowerTiling>();
  tiling->size = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  tiling->tile = 512;
  context->SetSimdNumBlocks(3);
  const uint64_t dtype = context->GetInputDesc(0)->GetDataType();
  const ge::Format expected = dtype == ge::DT_FLOAT16 ? ge::FORMAT_FRACTAL_NZ : ge::FORMAT_ND;
  const bool laid_out = context->GetInputDesc(0)->GetStorageFormat() == expected &&
                        context->GetOutputDesc(0)->GetStorageFormat() == expected;
  OP_CHECK_IF(!laid_out, OP_LOGE(context, "expected format %d", expected), return ge::GRAPH_FAILED);
  const uint64_t factor = *context->GetAttrs()->GetInt(0);
  ASCENDC_TPL_SEL_PARAM(context, dtype, factor, *context->GetAttrs()->GetBool(1));
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ops {

static ge::graphStatus InferScaledPower(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

class ScaledPower : public OpDef {
 public:
  explicit ScaledPower(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ});
    this->Attr("factor").AttrType(REQUIRED).Int();
    this->Attr("squared").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(InferScaledPower);
    this->AICore().SetTiling(optiling::TileScaledPower);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(ScaledPower);

}  // namespace ops
