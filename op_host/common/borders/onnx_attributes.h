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

// The attributes of one node. Each function returns nothing where the node has no attribute of that name and
// type.
class Attributes {
 public:
  virtual ~Attributes() = default;
  virtual std::optional<float> ReadFloat(const char *name) const = 0;
  virtual std::optional<int64_t> ReadInt(const char *name) const = 0;
  virtual std::optional<std::string> ReadString(const char *name) const = 0;
  virtual std::optional<Shape> ReadInts(const char *name) const = 0;
};

// These functions return the value of an attribute that has one of several names, or nothing where the node
// has none of them. They throw an error that names the attribute where the node has two of the names, or
// where the value is of another type.
using Names = std::initializer_list<const char *>;
std::optional<int64_t> Int(const Attributes &attributes, Names names);
std::optional<bool> Bool(const Attributes &attributes, Names names);
std::optional<std::string> String(const Attributes &attributes, Names names);
// Returns the shortest decimal number that rounds to the float32. Also takes an int.
std::optional<double> Float(const Attributes &attributes, Names names);
// Returns `length` ints, or any number of them where `length` is 0. One int stands for all; an empty array
// counts as absent. With `pairs`, each int may stand twice: [1, 1, 2, 2] is [1, 2].
std::optional<Shape> Ints(const Attributes &attributes, Names names, int64_t length, bool pairs = false);
// Returns the dtype for a number of onnx.TensorProto.DataType. Rejects all numbers but that of `fixed`, as a
// session fixes the types of results.
std::optional<DType> DTypeOf(const Attributes &attributes, Names names, DType fixed);

// Throws where the node has the attribute with another value.
void Only(const Attributes &attributes, Names names, int64_t value);

template <typename T>
T Required(const char *name, std::optional<T> value) {
  if (!value) throw std::invalid_argument(std::string(name) + ": expected this attribute, got none");
  return *std::move(value);
}

// Returns the next smaller float32: x >= value is the same as x > Below(value).
double Below(double value);

}  // namespace avo::onnx
