// SPDX-License-Identifier: Apache-2.0
// Tiling structs of vector functions.
#pragma once

#include <cstdint>

#include "sim_vector_tiling_fields.h"

namespace AscendC::tiling {

#define SIM_FIELD(name) uint32_t name = 0;
struct UnPadTiling {
  SIM_UNPAD_TILING_FIELDS(SIM_FIELD)
};
struct SoftMaxTiling {
  SIM_SOFTMAX_TILING_FIELDS(SIM_FIELD)
};
struct RmsNormTiling {
  SIM_RMSNORM_SHAPE_FIELDS(SIM_FIELD)
  float reciprocalOfHLength = 0;
  SIM_RMSNORM_LOOP_FIELDS(SIM_FIELD)
};
#undef SIM_FIELD

}  // namespace AscendC::tiling

using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::UnPadTiling;
