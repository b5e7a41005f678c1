// SPDX-License-Identifier: Apache-2.0
// The definitions of a project as JSON.
#include <algorithm>

#include "project_call.h"

namespace sim::operators {
namespace {

template <typename T, typename One>
std::string List(const T &values, const One &one) {
  std::string text;
  for (const auto &value : values) text += (text.empty() ? "" : ",") + one(value);
  return "[" + text + "]";
}

std::string Quoted(const std::string &text) { return "\"" + text + "\""; }

std::string Number(double value) { return std::to_string(value); }

template <typename T>
std::string Numbers(const std::vector<T> &values) {
  return List(values, [](T value) { return std::to_string(static_cast<int>(value)); });
}

std::string Text(bool value) { return value ? "true" : "false"; }

std::string ParameterText(const ops::ParamFacts &facts) {
  return "{\"name\":" + Quoted(facts.name) + ",\"option\":" + std::to_string(facts.type) +
         ",\"dtypes\":" + Numbers(facts.dtypes) + ",\"formats\":" + Numbers(facts.formats) +
         ",\"lists\":" + Text(facts.lists) + ",\"follows\":" + Quoted(facts.follows) +
         ",\"initial\":" + List(facts.initial, Number) + "}";
}

using Parameters = std::vector<std::unique_ptr<ops::OpParamDef>>;

std::string ParametersText(const Parameters &parameters) {
  return List(parameters, [](const auto &parameter) { return ParameterText(parameter->Facts()); });
}

// The default, which the definition keeps as an initialiser of C++.
std::string DefaultText(const ops::AttrFacts &facts) {
  std::string text = facts.value;
  if (text.empty()) return "null";
  if (facts.kind == ops::AttrKind::kString) return text;
  if (facts.kind == ops::AttrKind::kFloat || facts.kind == ops::AttrKind::kListFloat) {
    text.erase(std::remove(text.begin(), text.end(), 'f'), text.end());
  }
  std::replace(text.begin(), text.end(), '{', '[');
  std::replace(text.begin(), text.end(), '}', ']');
  return text;
}

std::string AttributeText(const ops::AttrFacts &facts) {
  static const char *const kinds[] = {"int", "float", "bool", "str", "ints", "floats", "bools"};
  return "{\"name\":" + Quoted(facts.name) + ",\"required\":" + Text(facts.type == ops::REQUIRED) +
         ",\"kind\":" + Quoted(kinds[static_cast<int>(facts.kind)]) + ",\"default\":" + DefaultText(facts) +
         "}";
}

std::string ConfigText(const ops::SocConfig &config) {
  const ops::ConfigFacts &facts = config.config.Facts();
  return Quoted(config.soc) + ":{\"inputs\":" + ParametersText(facts.inputs) +
         ",\"outputs\":" + ParametersText(facts.outputs) + ",\"kernel_file\":" + Quoted(facts.kernel_file) +
         "}";
}

std::string ConfigsText(const std::vector<ops::SocConfig> &configs) {
  std::string text;
  for (const ops::SocConfig &config : configs) text += (text.empty() ? "" : ",") + ConfigText(config);
  return "{" + text + "}";
}

std::string OperatorText(const ops::OpFacts &facts) {
  return "{\"type\":" + Quoted(facts.type) + ",\"inputs\":" + ParametersText(facts.inputs) +
         ",\"outputs\":" + ParametersText(facts.outputs) + ",\"attributes\":" +
         List(facts.attributes, [](const auto &attribute) { return AttributeText(attribute->Facts()); }) +
         ",\"socs\":" + List(facts.socs, Quoted) + ",\"configs\":" + ConfigsText(facts.configs) + "}";
}

std::string StructText(const TilingStruct &tiling) {
  return "{\"name\":" + Quoted(tiling.name) + ",\"fields\":" +
         List(tiling.fields,
              [](const optiling::TilingField &field) {
                return "[" + Quoted(field.type) + "," + Quoted(field.name) + "," +
                       std::to_string(field.count) + "]";
              }) +
         "}";
}

}  // namespace

std::string Json(const Project &project) {
  std::string structs;
  for (const auto &[type, all] : project.structs) {
    structs += (structs.empty() ? "" : ",") + Quoted(type) + ":" + List(all, StructText);
  }
  return "{\"operators\":" +
         List(project.definitions, [](const auto &definition) { return OperatorText(definition->Facts()); }) +
         ",\"structs\":{" + structs + "}}";
}

}  // namespace sim::operators
