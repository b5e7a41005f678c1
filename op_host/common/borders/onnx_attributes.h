// SPDX-License-Identifier: Apache-2.0
// Attributes of ONNX nodes as generated code reads them, for ONNX Runtime and for ATC.
#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "op_host/common/tensors/contract.h"

namespace avo::onnx {

// The attributes of one node; none where there is no attribute of that name and type.
class Attributes {
 public:
  virtual ~Attributes() = default;
  virtual std::optional<float> ReadFloat(const char *name) const = 0;
  virtual std::optional<int64_t> ReadInt(const char *name) const = 0;
  virtual std::optional<std::string> ReadString(const char *name) const = 0;
  virtual std::optional<Shape> ReadInts(const char *name) const = 0;
};

// The value of an attribute that has any one of some names; none where it has no value. They throw, naming
// it, where it is there under two names, or of another type.
using Names = std::initializer_list<const char *>;
std::optional<int64_t> Int(const Attributes &attributes, Names names);
std::optional<bool> Bool(const Attributes &attributes, Names names);
std::optional<std::string> String(const Attributes &attributes, Names names);
// The shortest decimal number with these 32 bits; an int too.
std::optional<double> Float(const Attributes &attributes, Names names);
// As many ints, or any number of them where `length` is 0; one int stands for all; none are no value.
std::optional<Shape> Ints(const Attributes &attributes, Names names, int64_t length);
// A number of onnx.TensorProto.DataType. All but `fixed` is refused: a session has fixed the types of
// results.
std::optional<DType> DTypeOf(const Attributes &attributes, Names names, DType fixed);

template <typename T>
T Required(const char *name, std::optional<T> value) {
  if (!value) throw std::invalid_argument(std::string(name) + ": expected this attribute, got none");
  return *std::move(value);
}

// The next smaller float32, so that > becomes >=.
double Below(double value);

}  // namespace avo::onnx
