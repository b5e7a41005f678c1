// SPDX-License-Identifier: Apache-2.0
// What functions of the softmax family share: the shape of the rows.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "sim_row_work.h"
#include "softmax_utils.h"

namespace sim {

template <typename Tiling>
RowShape SoftMaxShape(const AscendC::SoftMaxShapeInfo &info, const Tiling &tiling) {
  if (info.srcM == 0 || info.srcK == 0) return {tiling.srcM, tiling.srcK, tiling.srcK};
  return {info.srcM, info.srcK, info.oriSrcK == 0 ? info.srcK : info.oriSrcK};
}

}  // namespace sim
