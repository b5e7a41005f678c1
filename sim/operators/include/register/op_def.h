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
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection : uint32_t {
  CATEGORY = 0,
  BRIEF = 1,
  CONSTRAINTS = 2,
  RESTRICTIONS = 3,
  SEE = 4,
  THIRDPARTYFWKCOMPAT = 5,
  SECTION_MAX
};
enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = static_cast<uint32_t>(-1),
};

// A value of a type, for InitValue.
struct ScalarVar {
  template <typename T>
  ScalarVar(ScalarType type, T number) : type(type), number(static_cast<double>(number)) {}

  ScalarType type;
  double number;
};

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
  // All types of the list go with all combinations of the other tensors.
  OpParamDef &DataTypeList(std::vector<ge::DataType> types);
  OpParamDef &Format(std::vector<ge::Format> formats);
  OpParamDef &FormatList(std::vector<ge::Format> formats);
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats);
  // The values of the input are on the host too when tiling and inference run.
  OpParamDef &ValueDepend(Option option, DependScope scope = DependScope::ALL);
  // The result takes dtype, format and shape from the tensor of that name.
  OpParamDef &Follow(const char *name, FollowType type = FollowType::ALL);
  // What memory of a result holds before the kernel runs.
  OpParamDef &InitValue(uint64_t value);
  OpParamDef &InitValue(const ScalarVar &value);
  OpParamDef &InitValue(const std::vector<ScalarVar> &values);
  OpParamDef &AutoContiguous();
  OpParamDef &IgnoreContiguous();
  // These are for entry points and graphs that CANN makes of a definition.
  OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
  OpParamDef &FormatForBinQuery(std::vector<ge::Format>) { return *this; }
  OpParamDef &Scalar() { return *this; }
  OpParamDef &ScalarList() { return *this; }
  OpParamDef &To(ge::DataType) { return *this; }
  OpParamDef &To(const char *) { return *this; }
  OpParamDef &Version(uint32_t) { return *this; }
  OpParamDef &OutputShapeDependOnCompute() { return *this; }
  OpParamDef &Comment(const char *) { return *this; }
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
  OpAttrDef &Version(uint32_t) { return *this; }
  OpAttrDef &Comment(const char *) { return *this; }
  const AttrFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<AttrFacts> facts_;
};

struct ConfigFacts;

// What is different on one device: tensors that are named here take the place of the definition's.
class SIM_OPERATORS_EXPORT OpAICoreConfig {
 public:
  OpAICoreConfig();
  explicit OpAICoreConfig(const char *) : OpAICoreConfig() {}
  OpAICoreConfig(const OpAICoreConfig &other);
  OpAICoreConfig &operator=(const OpAICoreConfig &other);
  ~OpAICoreConfig();

  OpParamDef &Input(const char *name);
  OpParamDef &Output(const char *name);
  // "opFile.value" names the source of the kernel for this device.
  OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value);
  // These are for CANN's graphs and its compiler of kernels.
  OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
  OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
  OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
  OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
  OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
  OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
  const ConfigFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<ConfigFacts> facts_;
};

class SIM_OPERATORS_EXPORT OpAICoreDef {
 public:
  explicit OpAICoreDef(OpFacts *facts) : facts_(facts) {}

  OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
  OpAICoreDef &AddConfig(const char *soc);
  OpAICoreDef &AddConfig(const char *soc, const OpAICoreConfig &config);
  // Graphs ask these.
  template <typename Function>
  OpAICoreDef &SetCheckSupport(Function) {
    return *this;
  }
  template <typename Function>
  OpAICoreDef &SetOpSelectFormat(Function) {
    return *this;
  }
  template <typename Function>
  OpAICoreDef &SetOpSupportInfo(Function) {
    return *this;
  }
  template <typename Function>
  OpAICoreDef &SetOpSpecInfo(Function) {
    return *this;
  }
  template <typename Function>
  OpAICoreDef &SetParamGeneralize(Function) {
    return *this;
  }
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
  OpDef &SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc) { return *this; }
  OpDef &SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
  OpDef &FormatMatchMode(FormatCheckOption option);
  OpDef &Comment(CommentSection, const char *) { return *this; }
  OpDef &EnableFallBack() { return *this; }
  gert::OpImplRegisterV2::InferShapeKernelFunc GetInferShape() const;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc GetInferDataType() const;
  OpAICoreDef &AICore() { return core_; }
  const OpFacts &Facts() const { return *facts_; }

 private:
  std::unique_ptr<OpFacts> facts_;
  OpAICoreDef core_;
};

}  // namespace ops
