// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/borders/onnx_json.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace avo::onnx {
namespace {

// onnx.AttributeProto.AttributeType
constexpr int kFloat = 1, kInt = 2, kString = 3, kInts = 7;

// Any JSON value: numbers, true, false and null by their text.
struct Json {
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> fields;
};

class Parser {
 public:
  explicit Parser(const std::string &text) : text_(text) {}

  Json Whole() {
    Json value = Any();
    if (Next() != '\0') Refuse();
    return value;
  }

 private:
  [[noreturn]] void Refuse() const {
    throw std::invalid_argument("attribute: expected JSON, got " + text_.substr(place_, 40));
  }

  char Next() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool Take(char wanted) {
    if (Next() != wanted) return false;
    ++place_;
    return true;
  }
  void Need(char wanted) {
    if (!Take(wanted)) Refuse();
  }

  Json Any() {
    if (++depth_ > kDeepest) Refuse();
    Json value;
    if (Take('{')) {
      while (!Take('}')) {
        const std::string name = String();
        Need(':');
        value.fields[name] = Any();
        if (Next() != '}') Need(',');
      }
    } else if (Take('[')) {
      while (!Take(']')) {
        value.items.push_back(Any());
        if (Next() != ']') Need(',');
      }
    } else if (Next() == '"') {
      value.text = String();
    } else {
      while (Next() != '\0' && std::strchr(",]}", text_[place_]) == nullptr) value.text += text_[place_++];
      if (value.text.empty()) Refuse();
    }
    --depth_;
    return value;
  }

  // Names and modes are plain; of escapes, only the character behind the stroke is kept.
  std::string String() {
    Need('"');
    std::string value;
    while (place_ < text_.size() && text_[place_] != '"') {
      if (text_[place_] == '\\') ++place_;
      if (place_ < text_.size()) value += text_[place_++];
    }
    Need('"');
    return value;
  }

  static constexpr int kDeepest = 32;

  const std::string &text_;
  size_t place_ = 0;
  int depth_ = 0;
};

int TypeOf(const std::string &text) {
  const std::map<std::string, int> names{
      {"FLOAT", kFloat}, {"INT", kInt}, {"STRING", kString}, {"INTS", kInts}};
  const auto found = names.find(text);
  return found == names.end() ? std::atoi(text.c_str()) : found->second;
}

}  // namespace

JsonAttributes::JsonAttributes(const std::string &text) {
  if (text.empty()) return;
  Json whole = Parser(text).Whole();
  for (Json &attribute : whole.fields["attribute"].items) {
    Value value;
    value.type = TypeOf(attribute.fields["type"].text);
    const char *field = value.type == kFloat ? "f" : value.type == kInt ? "i" : "s";
    value.text = attribute.fields[field].text;
    for (const Json &item : attribute.fields["ints"].items)
      value.ints.push_back(std::atoll(item.text.c_str()));
    values_[attribute.fields["name"].text] = value;
  }
}

const JsonAttributes::Value *JsonAttributes::Find(const char *name, int type) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.type != type ? nullptr : &found->second;
}

std::optional<float> JsonAttributes::ReadFloat(const char *name) const {
  const Value *value = Find(name, kFloat);
  return value == nullptr ? std::nullopt : std::optional<float>(std::strtof(value->text.c_str(), nullptr));
}

std::optional<int64_t> JsonAttributes::ReadInt(const char *name) const {
  const Value *value = Find(name, kInt);
  return value == nullptr ? std::nullopt : std::optional<int64_t>(std::atoll(value->text.c_str()));
}

std::optional<std::string> JsonAttributes::ReadString(const char *name) const {
  const Value *value = Find(name, kString);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value->text);
}

std::optional<Shape> JsonAttributes::ReadInts(const char *name) const {
  const Value *value = Find(name, kInts);
  return value == nullptr ? std::nullopt : std::optional<Shape>(value->ints);
}

}  // namespace avo::onnx
