// SPDX-License-Identifier: Apache-2.0
// Registers the functions of an operator type under CANN's names.
#pragma once

#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "securec.h"

namespace gert {

// Whoever makes one of these names an operator type. Each call adds one of its functions; nullptr adds none.
class __attribute__((visibility("default"))) OpImplRegisterV2 {
 public:
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext *);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext *);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext *);

  // Makes the struct that a TilingParse fills.
  using CompileInfoMaker = void *(*)();

  explicit OpImplRegisterV2(const char *type) : type_(type) {}

  OpImplRegisterV2 &Tiling(TilingKernelFunc function);
  // `capacity`: the most bytes of tiling data.
  OpImplRegisterV2 &Tiling(TilingKernelFunc function, size_t capacity);
  OpImplRegisterV2 &InferShape(InferShapeKernelFunc function);
  OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc function);
  OpImplRegisterV2 &TilingParse(TilingParseFunc function, CompileInfoMaker make);
  template <typename CompileInfo>
  OpImplRegisterV2 &TilingParse(TilingParseFunc function) {
    return TilingParse(function, []() -> void * { return new CompileInfo(); });
  }
  // The inputs, by number, whose values are on the host too when the functions run.
  OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  // All results have the dtype of the first input.
  OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput();
  // These are for graphs; nothing here calls them.
  OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
  OpImplRegisterV2 &OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }
  template <typename Function>
  OpImplRegisterV2 &GenSimplifiedKey(Function) {
    return *this;
  }
  template <typename... Values>
  OpImplRegisterV2 &PrivateAttr(const char *, const Values &...) {
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
