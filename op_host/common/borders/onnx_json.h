// SPDX-License-Identifier: Apache-2.0
// Attributes of an ONNX node in JSON, as the parser of ATC passes them to plugins:
//
//   {"attribute": [{"name": "offset", "type": 2, "i": 1}, …]}
//
// Types are the numbers of AttributeProto, floats are text, and a value of 0 may be absent.
#pragma once

#include <map>
#include <string>

#include "op_host/common/borders/onnx_attributes.h"

namespace avo::onnx {

class JsonAttributes : public Attributes {
 public:
  // Throws std::invalid_argument where `text` is not JSON. An empty text has no attributes.
  explicit JsonAttributes(const std::string &text);

  std::optional<float> ReadFloat(const char *name) const override;
  std::optional<int64_t> ReadInt(const char *name) const override;
  std::optional<std::string> ReadString(const char *name) const override;
  std::optional<Shape> ReadInts(const char *name) const override;

 private:
  struct Value {
    int type = 0;
    std::string text;  // of a number or a string
    Shape ints;
  };

  const Value *Find(const char *name, int type) const;

  std::map<std::string, Value> values_;
};

}  // namespace avo::onnx
