// SPDX-License-Identifier: Apache-2.0
// The tiling data of vector functions, as classes that host code fills in. Each is the struct of the kernel
// too.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define SIM_FIELD(type, name) SIM_TILING_ACCESS(type, name)
#define SIM_TILING(Name, FIELDS)                                               \
  SIM_BEGIN_TILING_CLASS(Name, public TilingDef, public AscendC::tiling::Name) \
  FIELDS(SIM_FIELD)                                                            \
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
