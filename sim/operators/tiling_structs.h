// SPDX-License-Identifier: Apache-2.0
// The plain structs of tiling data that kernels need, read off the classes of the host
// (register/tilingdata_base.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "register/tilingdata_base.h"

namespace sim::operators {

struct TilingStruct {
  std::string name;
  std::vector<optiling::TilingField> fields;
};

// The structs of a type, those within others first and its own last; by what was registered: the operator, or
// OPERATOR_KEY.
using TilingStructs = std::map<std::string, std::vector<TilingStruct>>;

}  // namespace sim::operators
