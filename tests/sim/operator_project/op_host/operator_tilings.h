// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(AddTile)
TILING_DATA_FIELD_DEF(uint32_t, elements);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddTileOp, AddTile)

BEGIN_TILING_DATA_DEF(ScaledAddTiling)
TILING_DATA_FIELD_DEF(uint32_t, size);
TILING_DATA_FIELD_DEF_STRUCT(AddTile, tile);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF_ARR(float, 2, offsets);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaledAdd, ScaledAddTiling)

BEGIN_TILING_DATA_DEF(PartSumsTiling)
TILING_DATA_FIELD_DEF(uint32_t, part);
TILING_DATA_FIELD_DEF(bool, waits);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PartSums, PartSumsTiling)

// The struct of the library has no alignment of its own.
BEGIN_TILING_DATA_DEF(JoinedRowsTiling)
TILING_DATA_FIELD_DEF(uint32_t, size);
TILING_DATA_FIELD_DEF_STRUCT(UnPadTiling, rest);
TILING_DATA_FIELD_DEF(uint32_t, extra);
TILING_DATA_FIELD_DEF(uint32_t, behind);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(JoinedRows, JoinedRowsTiling)

}  // namespace optiling
