// SPDX-License-Identifier: Apache-2.0
// TCubeTiling for host code, with a setter and a getter for each field. It is the struct of the kernel too.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace optiling {

#define SIM_HOST_TILING_FIELD(name) SIM_TILING_ACCESS(int32_t, name)
SIM_BEGIN_TILING_CLASS(TCubeTiling, public TilingDef, public AscendC::tiling::TCubeTiling)
SIM_CUBE_TILING_FIELDS(SIM_HOST_TILING_FIELD)
END_TILING_DATA_DEF
#undef SIM_HOST_TILING_FIELD

}  // namespace optiling
