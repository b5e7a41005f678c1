// SPDX-License-Identifier: Apache-2.0
// The definitions of a project as JSON.
#include <cmath>
#include <limits>
#include <sstream>

#include "ascendc/engine/json.h"
#include "project_call.h"

namespace sim::operators {
namespace {

template <typename T, typename One>
std::string List(const T &values, const One &one) {
  std::string text;
  for (const auto &value : values) text += (text.empty() ? "" : ",") + one(value);
  return "[" + text + "]";
}

// A number that reads back as the same one, and never as an integer. JSON has no others than finite ones;
// Python's takes these names.
template <typename T>
std::string Number(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  text << value;
  return text.str() + (text.str().find_first_of(".e") == std::string::npos ? ".0" : "");
}

template <typename T>
std::string Numbers(const std::vector<T> &values) {
  return List(values, [](T value) { return std::to_string(static_cast<int>(value)); });
}

std::string Text(bool value) { return value ? "true" : "false"; }

std::string ParameterText(const ops::ParamFacts &facts) {
  return "{\"name\":" + JsonString(facts.name) + ",\"option\":" + std::to_string(facts.type) +
         ",\"dtypes\":" + Numbers(facts.dtypes) + ",\"formats\":" + Numbers(facts.formats) +
         ",\"lists\":" + Text(facts.lists) + ",\"follows\":" + JsonString(facts.follows) +
         ",\"initial\":" + List(facts.initial, Number<double>) + "}";
}

using Parameters = std::vector<std::unique_ptr<ops::OpParamDef>>;

std::string ParametersText(const Parameters &parameters) {
  return List(parameters, [](const auto &parameter) { return ParameterText(parameter->Facts()); });
}

std::string DefaultText(std::monostate) { return "null"; }
std::string DefaultText(bool value) { return Text(value); }
std::string DefaultText(float value) { return Number(value); }
std::string DefaultText(int64_t value) { return std::to_string(value); }
std::string DefaultText(const std::string &value) { return JsonString(value); }
template <typename T>
std::string DefaultText(const std::vector<T> &values) {
  return List(values, [](T value) { return DefaultText(value); });
}

std::string AttributeText(const ops::AttrFacts &facts) {
  static const char *const kinds[] = {"int", "float", "bool", "str", "ints", "floats", "bools"};
  return "{\"name\":" + JsonString(facts.name) + ",\"required\":" + Text(facts.type == ops::REQUIRED) +
         ",\"kind\":" + JsonString(kinds[static_cast<int>(facts.kind)]) +
         ",\"default\":" + std::visit([](const auto &value) { return DefaultText(value); }, facts.initial) +
         "}";
}

std::string ConfigText(const ops::SocConfig &config) {
  const ops::ConfigFacts &facts = config.config.Facts();
  return JsonString(config.soc) + ":{\"inputs\":" + ParametersText(facts.inputs) +
         ",\"outputs\":" + ParametersText(facts.outputs) +
         ",\"kernel_file\":" + JsonString(facts.kernel_file) + "}";
}

std::string ConfigsText(const std::vector<ops::SocConfig> &configs) {
  std::string text;
  for (const ops::SocConfig &config : configs) text += (text.empty() ? "" : ",") + ConfigText(config);
  return "{" + text + "}";
}

std::string OperatorText(const ops::OpFacts &facts) {
  return "{\"type\":" + JsonString(facts.type) + ",\"inputs\":" + ParametersText(facts.inputs) +
         ",\"outputs\":" + ParametersText(facts.outputs) + ",\"attributes\":" +
         List(facts.attributes, [](const auto &attribute) { return AttributeText(attribute->Facts()); }) +
         ",\"socs\":" + List(facts.socs, JsonString) + ",\"configs\":" + ConfigsText(facts.configs) + "}";
}

std::string StructText(const TilingStruct &tiling) {
  return "{\"name\":" + JsonString(tiling.name) + ",\"fields\":" +
         List(tiling.fields,
              [](const optiling::TilingField &field) {
                return "[" + JsonString(field.type) + "," + JsonString(field.name) + "," +
                       std::to_string(field.count) + "]";
              }) +
         "}";
}

}  // namespace

std::string Json(const Project &project) {
  std::string structs;
  for (const auto &[type, all] : project.structs) {
    structs += (structs.empty() ? "" : ",") + JsonString(type) + ":" + List(all, StructText);
  }
  return "{\"operators\":" +
         List(project.definitions, [](const auto &definition) { return OperatorText(definition->Facts()); }) +
         ",\"structs\":{" + structs + "}}";
}

}  // namespace sim::operators
