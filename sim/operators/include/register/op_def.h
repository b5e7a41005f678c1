// SPDX-License-Identifier: Apache-2.0
// The definition of an operator, under CANN's names: its tensors, attributes, functions and devices.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/types.h"
#include "register/op_impl_registry.h"

#define SIM_OPERATORS_EXPORT __attribute__((visibility("default")))

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };

struct ParamFacts;
struct AttrFacts;
struct OpFacts;

// A tensor. The dtypes and formats of all tensors of an operator are columns of one table, whose rows are the
// combinations that it takes.
class SIM_OPERATORS_EXPORT OpParamDef {
 public:
  explicit OpParamDef(const char *name);
  OpParamDef(const OpParamDef &other);
  OpParamDef &operator=(const OpParamDef &other);
  ~OpParamDef();

  OpParamDef &ParamType(Option type);
  OpParamDef &DataType(std::vector<ge::DataType> types);
  OpParamDef &Format(std::vector<ge::Format> formats);
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats);
  OpParamDef &AutoContiguous();
  OpParamDef &IgnoreContiguous();
  const ParamFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<ParamFacts> facts_;
};

class SIM_OPERATORS_EXPORT OpAttrDef {
 public:
  explicit OpAttrDef(const char *name);
  OpAttrDef(const OpAttrDef &other);
  OpAttrDef &operator=(const OpAttrDef &other);
  ~OpAttrDef();

  OpAttrDef &AttrType(Option type);
  OpAttrDef &Bool();
  OpAttrDef &Bool(bool value);
  OpAttrDef &Float();
  OpAttrDef &Float(float value);
  OpAttrDef &Int();
  OpAttrDef &Int(int64_t value);
  OpAttrDef &String();
  OpAttrDef &String(const char *value);
  OpAttrDef &ListInt();
  OpAttrDef &ListInt(std::vector<int64_t> value);
  OpAttrDef &ListFloat();
  OpAttrDef &ListFloat(std::vector<float> value);
  OpAttrDef &ListBool();
  OpAttrDef &ListBool(std::vector<bool> value);
  const AttrFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<AttrFacts> facts_;
};

class SIM_OPERATORS_EXPORT OpAICoreDef {
 public:
  explicit OpAICoreDef(OpFacts *facts) : facts_(facts) {}

  OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
  OpAICoreDef &AddConfig(const char *soc);
  gert::OpImplRegisterV2::TilingKernelFunc GetTiling() const;

 private:
  OpFacts *facts_;
};

class SIM_OPERATORS_EXPORT OpDef {
 public:
  explicit OpDef(const char *type);
  OpDef(const OpDef &other);
  OpDef &operator=(const OpDef &other);
  ~OpDef();

  // These return the tensor or attribute of that name, and add it at the end where there is none.
  OpParamDef &Input(const char *name);
  OpParamDef &Output(const char *name);
  OpAttrDef &Attr(const char *name);
  OpDef &SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
  OpDef &SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
  OpDef &FormatMatchMode(FormatCheckOption option);
  gert::OpImplRegisterV2::InferShapeKernelFunc GetInferShape() const;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc GetInferDataType() const;
  OpAICoreDef &AICore() { return core_; }
  const OpFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<OpFacts> facts_;
  OpAICoreDef core_;
};

}  // namespace ops
