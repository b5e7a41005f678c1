// SPDX-License-Identifier: Apache-2.0
// Tiling structs of vector functions.
#pragma once

#include "sim_vector_tiling_fields.h"

namespace AscendC::tiling {

#define SIM_FIELD(type, name) type name = 0;
#define SIM_TILING(Name, FIELDS) \
  struct Name {                  \
    FIELDS(SIM_FIELD)            \
  };
SIM_VECTOR_TILINGS(SIM_TILING)
#undef SIM_TILING
#undef SIM_FIELD

}  // namespace AscendC::tiling

#define SIM_TILING(Name, FIELDS) using AscendC::tiling::Name;
SIM_VECTOR_TILINGS(SIM_TILING)
#undef SIM_TILING
