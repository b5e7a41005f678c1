// SPDX-License-Identifier: Apache-2.0
// Tiling structs of the library. Host code fills them in, and a kernel passes them to Matmul.
#pragma once

#include <cstdint>

#include "sim_cube_tiling_fields.h"
#include "sim_vector_tiling.h"

namespace AscendC::tiling {

#pragma pack(push, 8)
struct TCubeTiling {
#define SIM_CUBE_TILING_FIELD(name) int32_t name = 0;
  SIM_CUBE_TILING_FIELDS(SIM_CUBE_TILING_FIELD)
#undef SIM_CUBE_TILING_FIELD
};
#pragma pack(pop)

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;
