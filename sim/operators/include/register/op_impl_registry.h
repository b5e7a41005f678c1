// SPDX-License-Identifier: Apache-2.0
// Registers the functions of an operator type under CANN's names.
#pragma once

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {

class InferShapeRangeContext;
class TilingParseContext;

// Whoever makes one of these names an operator type. Each call adds one of its functions; nullptr adds none.
class __attribute__((visibility("default"))) OpImplRegisterV2 {
 public:
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext *);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext *);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext *);

  explicit OpImplRegisterV2(const char *type) : type_(type) {}

  OpImplRegisterV2 &Tiling(TilingKernelFunc function);
  OpImplRegisterV2 &InferShape(InferShapeKernelFunc function);
  OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc function);
  // These are for graphs, and for operators whose tiling reads a compiled description; nothing here calls
  // them.
  OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
  template <typename CompileInfo>
  OpImplRegisterV2 &TilingParse(TilingParseFunc) {
    return *this;
  }

 private:
  ge::AscendString type_;
};

}  // namespace gert

#define SIM_IMPL_OP_NAMED(type, number)                                           \
  [[maybe_unused]] static const gert::OpImplRegisterV2 g_impl_##type##_##number = \
      gert::OpImplRegisterV2(#type)
#define SIM_IMPL_OP(type, number) SIM_IMPL_OP_NAMED(type, number)
#define IMPL_OP(type) SIM_IMPL_OP(type, __COUNTER__)
#define IMPL_OP_OPTILING(type) IMPL_OP(type)
#define IMPL_OP_INFERSHAPE(type) IMPL_OP(type)
