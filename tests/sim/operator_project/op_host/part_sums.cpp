// SPDX-License-Identifier: Apache-2.0
// The sum of all elements. Each block adds its part into the workspace, and block 0 adds the parts. Without
// `waits` block 0 does not wait for the others, which is a race on purpose. There is no inference of shapes.
#include "operator_tilings.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

struct PartSumsInfo {
  uint32_t blocks = 0;
};

constexpr uint32_t kMostBlocks = 8;

ge::graphStatus ParsePartSums(gert::TilingParseContext *context) {
  const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
  context->GetCompiledInfo<PartSumsInfo>()->blocks = cores < kMostBlocks ? cores : kMostBlocks;
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus TilePartSums(gert::TilingContext *context) {
  const uint32_t blocks = context->GetCompileInfo<PartSumsInfo>()->blocks;
  optiling::PartSumsTiling tiling;
  tiling.set_part(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()) / blocks);
  tiling.set_waits(*context->GetAttrs()->GetAttrPointer<bool>(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(blocks);
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * 32;
  return ge::GRAPH_SUCCESS;
}

}  // namespace

IMPL_OP_OPTILING(PartSums).Tiling(TilePartSums).TilingParse<PartSumsInfo>(ParsePartSums);

namespace ops {

class PartSums : public OpDef {
 public:
  explicit PartSums(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("total").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("waits").AttrType(OPTIONAL).Bool(true);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(PartSums);

}  // namespace ops
