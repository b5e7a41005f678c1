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

// Any JSON value. Numbers, true, false and null are kept as text.
struct Json {
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> fields;
};

class Parser {
 public:
  explicit Parser(const std::string &text) : text_(text) {}

  // Parses the whole text as one value.
  Json ParseAll() {
    Json value = ParseValue();
    if (Next() != '\0') Refuse();
    return value;
  }

 private:
  [[noreturn]] void Refuse() const {
    throw std::invalid_argument("attribute: expected JSON, got " + text_.substr(place_, 40));
  }

  // Skips spaces. Returns the next character without consuming it, or 0 at the end.
  char Next() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  // Consumes the next character if it is `wanted`, and returns whether it was.
  bool Accept(char wanted) {
    if (Next() != wanted) return false;
    ++place_;
    return true;
  }
  void Require(char wanted) {
    if (!Accept(wanted)) Refuse();
  }

  Json ParseValue() {
    if (++depth_ > kDeepest) Refuse();
    Json value;
    if (Accept('{')) {
      while (!Accept('}')) {
        const std::string name = ParseString();
        Require(':');
        value.fields[name] = ParseValue();
        if (Next() != '}') Require(',');
      }
    } else if (Accept('[')) {
      while (!Accept(']')) {
        value.items.push_back(ParseValue());
        if (Next() != ']') Require(',');
      }
    } else if (Next() == '"') {
      value.text = ParseString();
    } else {
      while (Next() != '\0' && std::strchr(",]}", text_[place_]) == nullptr) value.text += text_[place_++];
      if (value.text.empty()) Refuse();
    }
    --depth_;
    return value;
  }

  // Names and modes have no escape sequences. Where there is one, only the character after the backslash is
  // kept.
  std::string ParseString() {
    Require('"');
    std::string value;
    while (place_ < text_.size() && text_[place_] != '"') {
      if (text_[place_] == '\\') ++place_;
      if (place_ < text_.size()) value += text_[place_++];
    }
    Require('"');
    return value;
  }

  static constexpr int kDeepest = 32;  // values within each other

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
  Json whole = Parser(text).ParseAll();
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
