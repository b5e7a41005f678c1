// SPDX-License-Identifier: Apache-2.0
// Attributes of an ONNX node as ATC's parser hands them to plugins: JSON, {"attribute": [{"name": "offset",
// "type": 2, "i": 1}, …]}, types by the numbers of AttributeProto, floats as text, values of 0 perhaps left
// out.
#pragma once

#include <map>
#include <string>

#include "op_host/common/borders/onnx_attributes.h"

namespace avo::onnx {

class JsonAttributes : public Attributes {
 public:
  // Throws std::invalid_argument for what is no JSON; a text without attributes has none.
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
