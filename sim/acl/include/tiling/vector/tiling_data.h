// SPDX-License-Identifier: Apache-2.0
// The tiling data of vector functions, as classes that host code fills in.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define SIM_FIELD(name) TILING_DATA_FIELD_DEF(uint32_t, name);
BEGIN_TILING_DATA_DEF(UnPadTiling)
SIM_UNPAD_TILING_FIELDS(SIM_FIELD)
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(SoftMaxTiling)
SIM_SOFTMAX_TILING_FIELDS(SIM_FIELD)
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(RmsNormTiling)
SIM_RMSNORM_SHAPE_FIELDS(SIM_FIELD)
TILING_DATA_FIELD_DEF(float, reciprocalOfHLength);
SIM_RMSNORM_LOOP_FIELDS(SIM_FIELD)
END_TILING_DATA_DEF;
#undef SIM_FIELD

}  // namespace optiling

namespace sim {

// Gives a struct to host code, as the struct itself or as a class.
#define SIM_COPY(name) to.set_##name(from.name);
inline void Give(const AscendC::tiling::UnPadTiling &from, optiling::UnPadTiling &to) {
  SIM_UNPAD_TILING_FIELDS(SIM_COPY)
}
inline void Give(const AscendC::tiling::SoftMaxTiling &from, optiling::SoftMaxTiling &to) {
  SIM_SOFTMAX_TILING_FIELDS(SIM_COPY)
}
inline void Give(const AscendC::tiling::RmsNormTiling &from, optiling::RmsNormTiling &to) {
  SIM_RMSNORM_SHAPE_FIELDS(SIM_COPY)
  to.set_reciprocalOfHLength(from.reciprocalOfHLength);
  SIM_RMSNORM_LOOP_FIELDS(SIM_COPY)
}
#undef SIM_COPY
template <typename Struct>
void Give(const Struct &from, Struct &to) {
  to = from;
}

}  // namespace sim
