// SPDX-License-Identifier: Apache-2.0
// The tiling data of vector functions, as classes that host code fills in.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define SIM_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name);
#define SIM_TILING(Name, FIELDS) \
  BEGIN_TILING_DATA_DEF(Name)    \
  FIELDS(SIM_FIELD)              \
  END_TILING_DATA_DEF;
SIM_VECTOR_TILINGS(SIM_TILING)
#undef SIM_TILING
#undef SIM_FIELD

}  // namespace optiling

namespace sim {

// Gives a struct to host code, as the struct itself or as a class.
#define SIM_COPY(type, name) to.set_##name(from.name);
#define SIM_TILING(Name, FIELDS) \
  inline void Give(const AscendC::tiling::Name &from, optiling::Name &to) { FIELDS(SIM_COPY) }
SIM_VECTOR_TILINGS(SIM_TILING)
#undef SIM_TILING
#undef SIM_COPY
template <typename Struct>
void Give(const Struct &from, Struct &to) {
  to = from;
}

}  // namespace sim
