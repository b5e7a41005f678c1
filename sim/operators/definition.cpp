// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "loaded_project.h"

namespace ops {
namespace {

std::vector<std::unique_ptr<OpDef>> &AllDefinitions() {
  static auto *definitions = new std::vector<std::unique_ptr<OpDef>>;
  return *definitions;
}

template <typename Def>
Def &FindOrAdd(std::vector<std::unique_ptr<Def>> *defs, const char *name) {
  for (auto &def : *defs) {
    if (def->Facts().name == name) return *def;
  }
  defs->push_back(std::make_unique<Def>(name));
  return *defs->back();
}

template <typename Def>
std::vector<std::unique_ptr<Def>> CopyOf(const std::vector<std::unique_ptr<Def>> &defs) {
  std::vector<std::unique_ptr<Def>> copies;
  for (const auto &def : defs) copies.push_back(std::make_unique<Def>(*def));
  return copies;
}

std::unique_ptr<OpFacts> CopyOf(const OpFacts &facts) {
  auto copy = std::make_unique<OpFacts>();
  copy->type = facts.type;
  copy->inputs = CopyOf(facts.inputs);
  copy->outputs = CopyOf(facts.outputs);
  copy->attributes = CopyOf(facts.attributes);
  copy->socs = facts.socs;
  copy->configs = facts.configs;
  copy->formats = facts.formats;
  copy->tiling = facts.tiling;
  copy->infer_shape = facts.infer_shape;
  copy->infer_datatype = facts.infer_datatype;
  return copy;
}

// A number that C++ reads back as the same one.
template <typename T>
std::string Literal(T value) {
  if constexpr (std::is_same_v<T, float>) {
    if (std::isnan(value)) return "__builtin_nanf(\"\")";
    if (std::isinf(value)) return value < 0 ? "-__builtin_inff()" : "__builtin_inff()";
  }
  std::ostringstream text;
  text.precision(9);
  text << std::boolalpha << std::showpoint << value;
  return text.str() + (std::is_same_v<T, float> ? "f" : "");
}

template <typename T>
std::string Literals(const std::vector<T> &values) {
  std::string text;
  for (const T value : values) text += (text.empty() ? "" : ", ") + Literal(value);
  return "{" + text + "}";
}

std::string Quoted(const char *text) {
  std::string quoted = "\"";
  for (; *text != '\0'; ++text) {
    char octal[5] = "";
    if (static_cast<unsigned char>(*text) < 0x20) {
      std::snprintf(octal, sizeof(octal), "\\%03o", static_cast<unsigned>(*text));
      quoted += octal;
      continue;
    }
    if (*text == '"' || *text == '\\') quoted += '\\';
    quoted += *text;
  }
  return quoted + "\"";
}

void Keep(AttrFacts *facts, AttrKind kind, std::string value, DefaultValue initial) {
  facts->kind = kind;
  facts->value = std::move(value);
  facts->initial = std::move(initial);
}

}  // namespace

OpParamDef::OpParamDef(const char *name) : facts_(std::make_unique<ParamFacts>()) { facts_->name = name; }
OpParamDef::OpParamDef(const OpParamDef &other) : facts_(std::make_unique<ParamFacts>(*other.facts_)) {}
OpParamDef &OpParamDef::operator=(const OpParamDef &other) {
  *facts_ = *other.facts_;
  return *this;
}
OpParamDef::~OpParamDef() = default;

OpParamDef &OpParamDef::ParamType(Option type) {
  facts_->type = type;
  return *this;
}
OpParamDef &OpParamDef::DataType(std::vector<ge::DataType> types) {
  facts_->dtypes = std::move(types);
  return *this;
}
OpParamDef &OpParamDef::Format(std::vector<ge::Format> formats) {
  facts_->formats = std::move(formats);
  return *this;
}
OpParamDef &OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
  facts_->lists = true;
  return DataType(std::move(types));
}
OpParamDef &OpParamDef::FormatList(std::vector<ge::Format> formats) { return Format(std::move(formats)); }
OpParamDef &OpParamDef::ValueDepend(Option, DependScope) {
  facts_->values_on_host = true;
  return *this;
}
OpParamDef &OpParamDef::Follow(const char *name, FollowType) {
  facts_->follows = name;
  return *this;
}
OpParamDef &OpParamDef::InitValue(uint64_t value) {
  facts_->initial = {static_cast<double>(value)};
  return *this;
}
OpParamDef &OpParamDef::InitValue(const ScalarVar &value) {
  facts_->initial = {value.number};
  return *this;
}
OpParamDef &OpParamDef::InitValue(const std::vector<ScalarVar> &values) {
  return values.empty() ? *this : InitValue(values.front());
}
OpParamDef &OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
OpParamDef &OpParamDef::AutoContiguous() {
  facts_->auto_contiguous = true;
  return *this;
}
OpParamDef &OpParamDef::IgnoreContiguous() {
  facts_->auto_contiguous = false;
  return *this;
}

OpAttrDef::OpAttrDef(const char *name) : facts_(std::make_unique<AttrFacts>()) { facts_->name = name; }
OpAttrDef::OpAttrDef(const OpAttrDef &other) : facts_(std::make_unique<AttrFacts>(*other.facts_)) {}
OpAttrDef &OpAttrDef::operator=(const OpAttrDef &other) {
  *facts_ = *other.facts_;
  return *this;
}
OpAttrDef::~OpAttrDef() = default;

OpAttrDef &OpAttrDef::AttrType(Option type) {
  facts_->type = type;
  return *this;
}

#define SIM_ATTRIBUTE(kind, type, literal, initial)          \
  OpAttrDef &OpAttrDef::kind() {                             \
    Keep(facts_.get(), AttrKind::k##kind, "", {});           \
    return *this;                                            \
  }                                                          \
  OpAttrDef &OpAttrDef::kind(type value) {                   \
    Keep(facts_.get(), AttrKind::k##kind, literal, initial); \
    return *this;                                            \
  }
SIM_ATTRIBUTE(Bool, bool, Literal(value), value)
SIM_ATTRIBUTE(Float, float, Literal(value), value)
SIM_ATTRIBUTE(Int, int64_t, Literal(value), value)
SIM_ATTRIBUTE(String, const char *, Quoted(value), std::string(value))
SIM_ATTRIBUTE(ListInt, std::vector<int64_t>, Literals(value), value)
SIM_ATTRIBUTE(ListFloat, std::vector<float>, Literals(value), value)
SIM_ATTRIBUTE(ListBool, std::vector<bool>, Literals(value), value)
#undef SIM_ATTRIBUTE

OpAICoreConfig::OpAICoreConfig() : facts_(std::make_unique<ConfigFacts>()) {}
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig &other) : OpAICoreConfig() { *this = other; }
OpAICoreConfig &OpAICoreConfig::operator=(const OpAICoreConfig &other) {
  if (this != &other) {
    facts_->inputs = CopyOf(other.facts_->inputs);
    facts_->outputs = CopyOf(other.facts_->outputs);
    facts_->kernel_file = other.facts_->kernel_file;
  }
  return *this;
}
OpAICoreConfig::~OpAICoreConfig() = default;

OpParamDef &OpAICoreConfig::Input(const char *name) { return FindOrAdd(&facts_->inputs, name); }
OpParamDef &OpAICoreConfig::Output(const char *name) { return FindOrAdd(&facts_->outputs, name); }
OpAICoreConfig &OpAICoreConfig::ExtendCfgInfo(const char *key, const char *value) {
  if (std::string(key) == "opFile.value") facts_->kernel_file = value;
  return *this;
}

OpAICoreDef &OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
  facts_->tiling = function;
  return *this;
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc) {
  facts_->socs.emplace_back(soc);
  return *this;
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc, const OpAICoreConfig &config) {
  facts_->configs.push_back({soc, config});
  return AddConfig(soc);
}
gert::OpImplRegisterV2::TilingKernelFunc OpAICoreDef::GetTiling() const { return facts_->tiling; }

OpDef::OpDef(const char *type) : facts_(std::make_unique<OpFacts>()), core_(facts_.get()) {
  facts_->type = type;
}
OpDef::OpDef(const OpDef &other) : facts_(CopyOf(*other.facts_)), core_(facts_.get()) {}
OpDef &OpDef::operator=(const OpDef &other) {
  if (this != &other) {
    facts_ = CopyOf(*other.facts_);
    core_ = OpAICoreDef(facts_.get());
  }
  return *this;
}
OpDef::~OpDef() = default;

OpParamDef &OpDef::Input(const char *name) { return FindOrAdd(&facts_->inputs, name); }
OpParamDef &OpDef::Output(const char *name) { return FindOrAdd(&facts_->outputs, name); }
OpAttrDef &OpDef::Attr(const char *name) { return FindOrAdd(&facts_->attributes, name); }
OpDef &OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
  facts_->infer_shape = function;
  return *this;
}
OpDef &OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
  facts_->infer_datatype = function;
  return *this;
}
OpDef &OpDef::FormatMatchMode(FormatCheckOption option) {
  facts_->formats = option;
  return *this;
}
gert::OpImplRegisterV2::InferShapeKernelFunc OpDef::GetInferShape() const { return facts_->infer_shape; }
gert::OpImplRegisterV2::InferDataTypeKernelFunc OpDef::GetInferDataType() const {
  return facts_->infer_datatype;
}

int RegisterDefinition(const char *type, OpDefCreator create) {
  sim::operators::Project *project = sim::operators::LoadingProject();
  auto &definitions = project != nullptr ? project->definitions : AllDefinitions();
  definitions.push_back(std::make_unique<OpDef>(create(type)));
  return 0;
}

const std::vector<std::unique_ptr<OpDef>> &Definitions() { return AllDefinitions(); }

}  // namespace ops
