// SPDX-License-Identifier: Apache-2.0
#include "tiling_structs.h"

#include <algorithm>

#include "loaded_project.h"

namespace sim::operators {
namespace {

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

}  // namespace sim::operators

namespace optiling {

int RegisterTilingData(const char *type, const TilingDef &data) {
  if (sim::operators::LoadingProject() == nullptr) return 0;  // only projects need the structs
  auto &structs = sim::operators::LoadingProject()->structs[type];
  structs.clear();
  sim::operators::Describe(data, &structs);
  return 0;
}

}  // namespace optiling
