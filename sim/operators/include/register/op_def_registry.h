// SPDX-License-Identifier: Apache-2.0
// OP_ADD says that a class defines an operator. What that does depends on the library that the source is
// compiled for, as in CANN: the tiling library registers the tiling, the library of graphs the inference; a
// library for opbuild the whole definition.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "register/op_def.h"
#include "register/tilingdata_base.h"

namespace ops {

using OpDefCreator = OpDef (*)(const char *type);
SIM_OPERATORS_EXPORT int RegisterDefinition(const char *type, OpDefCreator create);

}  // namespace ops

#if defined(OP_TILING_LIB)
#define SIM_OP_ADDED(type) (gert::OpImplRegisterV2(#type).Tiling(type(#type).AICore().GetTiling()), 0)
#elif defined(OP_PROTO_LIB)
#define SIM_OP_ADDED(type)                             \
  (gert::OpImplRegisterV2(#type)                       \
       .InferShape(type(#type).GetInferShape())        \
       .InferDataType(type(#type).GetInferDataType()), \
   0)
#else
#define SIM_OP_ADDED(type) \
  ops::RegisterDefinition(#type, [](const char *name) -> ops::OpDef { return type(name); })
#endif

#define OP_ADD(type, ...) [[maybe_unused]] static const int g_##type##_added = SIM_OP_ADDED(type)
