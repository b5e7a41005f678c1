// SPDX-License-Identifier: Apache-2.0
#include "tiling_structs.h"

#include <algorithm>
#include <utility>

namespace sim::operators {
namespace {

TilingStructs &Registered() {
  static auto *structs = new TilingStructs;
  return *structs;
}

void Describe(const optiling::TilingDef &data, std::vector<TilingStruct> *structs) {
  for (const optiling::TilingField &field : data.Fields()) {
    if (field.is_struct) Describe(data.Member(field), structs);
  }
  const bool known = std::any_of(structs->begin(), structs->end(), [&](const TilingStruct &other) {
    return other.name == data.GetTilingClassName();
  });
  if (!known) structs->push_back({data.GetTilingClassName(), data.Fields()});
}

}  // namespace

TilingStructs TakeTilingStructs() { return std::exchange(Registered(), {}); }

}  // namespace sim::operators

namespace optiling {

int RegisterTilingData(const char *type, const TilingDef &data) {
  auto &structs = sim::operators::Registered()[type];
  structs.clear();
  sim::operators::Describe(data, &structs);
  return 0;
}

}  // namespace optiling
