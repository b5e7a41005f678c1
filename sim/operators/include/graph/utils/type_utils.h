// SPDX-License-Identifier: Apache-2.0
// Names of element types and formats, for messages.
#pragma once

#include <string>

#include "graph/types.h"

namespace ge {

class __attribute__((visibility("default"))) TypeUtils {
 public:
  static std::string DataTypeToSerialString(DataType type);  // DT_FLOAT
  static std::string FormatToSerialString(Format format);    // ND
  static AscendString DataTypeToAscendString(DataType type) {
    return AscendString(DataTypeToSerialString(type).c_str());
  }
  static AscendString FormatToAscendString(Format format) {
    return AscendString(FormatToSerialString(format).c_str());
  }
};

}  // namespace ge
