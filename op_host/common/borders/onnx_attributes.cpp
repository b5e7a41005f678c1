// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/borders/onnx_attributes.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace avo::onnx {
namespace {

[[noreturn]] void Refuse(const char *name, const std::string &expected, const std::string &got) {
  throw std::invalid_argument(std::string(name) + ": expected " + expected + ", got " + got);
}

// Returns what type an attribute has, for messages; empty where there is none.
std::string KindOf(const Attributes &attributes, const char *name) {
  if (attributes.ReadInt(name)) return "an int";
  if (attributes.ReadFloat(name)) return "a float";
  if (attributes.ReadString(name)) return "a string";
  return attributes.ReadInts(name) ? "ints" : "";
}

// Returns the value that `read` finds under one of the names. An attribute that it cannot read has another
// type.
template <typename Read>
auto Find(const Attributes &attributes, Names names, const char *expected, const Read &read) {
  decltype(read(*names.begin())) found;
  const char *under = nullptr;
  for (const char *name : names) {
    auto value = read(name);
    const std::string kind = KindOf(attributes, name);
    if (!value && !kind.empty()) Refuse(name, expected, kind);
    if (!value) continue;
    if (under != nullptr) {
      Refuse(name, std::string("one name of ") + *names.begin(), std::string(under) + " and " + name);
    }
    found = std::move(value);
    under = name;
  }
  return found;
}

// Returns nothing for an empty array.
std::optional<Shape> IfAny(std::optional<Shape> values) {
  return values && values->empty() ? std::nullopt : std::move(values);
}

// Makes [a, b] of [a, a, b, b]. Leaves values alone of which two that belong together differ.
void HalvePairs(Shape *values) {
  Shape halved;
  for (size_t i = 0; i + 1 < values->size(); i += 2) {
    if ((*values)[i] != (*values)[i + 1]) return;
    halved.push_back((*values)[i]);
  }
  values->swap(halved);
}

// Returns 0.7 for the float32 nearest to 0.7, and so on: the decimal number that the author of the model
// wrote.
double Decimal(float value) {
  if (!std::isfinite(value)) return value;
  char text[32] = {};
  std::to_chars(text, text + sizeof(text) - 1, value);
  return std::strtod(text, nullptr);
}

}  // namespace

std::optional<int64_t> Int(const Attributes &attributes, Names names) {
  return Find(attributes, names, "an int", [&](const char *name) { return attributes.ReadInt(name); });
}

std::optional<bool> Bool(const Attributes &attributes, Names names) {
  const std::optional<int64_t> value = Int(attributes, names);
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

std::optional<std::string> String(const Attributes &attributes, Names names) {
  return Find(attributes, names, "a string", [&](const char *name) { return attributes.ReadString(name); });
}

std::optional<double> Float(const Attributes &attributes, Names names) {
  return Find(attributes, names, "a float", [&](const char *name) -> std::optional<double> {
    if (const std::optional<int64_t> number = attributes.ReadInt(name)) return static_cast<double>(*number);
    const std::optional<float> value = attributes.ReadFloat(name);
    return value ? std::optional<double>(Decimal(*value)) : std::nullopt;
  });
}

std::optional<Shape> Ints(const Attributes &attributes, Names names, int64_t length, bool pairs) {
  return IfAny(Find(attributes, names, "ints", [&](const char *name) -> std::optional<Shape> {
    if (const std::optional<int64_t> all = attributes.ReadInt(name)) {
      return Shape(static_cast<size_t>(std::max<int64_t>(length, 1)), *all);
    }
    std::optional<Shape> values = attributes.ReadInts(name);
    if (!values) return std::nullopt;
    if (pairs && static_cast<int64_t>(values->size()) == 2 * length) HalvePairs(&*values);
    if (length > 0 && !values->empty() && static_cast<int64_t>(values->size()) != length) {
      Refuse(name, std::to_string(length) + " ints" + (pairs ? " (or each of them twice)" : ""),
             ShowList(*values));
    }
    return values;
  }));
}

void Only(const Attributes &attributes, Names names, int64_t value) {
  const std::optional<int64_t> found = Int(attributes, names);
  if (found && *found != value) Refuse(*names.begin(), std::to_string(value), std::to_string(*found));
}

std::optional<DType> DTypeOf(const Attributes &attributes, Names names, DType fixed) {
  const std::optional<int64_t> number = Int(attributes, names);
  if (!number) return std::nullopt;
  constexpr int64_t kInt32 = 6, kInt64 = 7;
  const int64_t wanted = fixed == DType::kInt32 ? kInt32 : kInt64;
  if (*number != wanted) {
    Refuse(
        *names.begin(),
        std::to_string(wanted) + " (" + DTypeName(fixed) + "), as ONNX Runtime fixes types by inputs alone",
        std::to_string(*number));
  }
  return fixed;
}

double Below(double value) {
  return std::nextafter(static_cast<float>(value), -std::numeric_limits<float>::infinity());
}

}  // namespace avo::onnx
