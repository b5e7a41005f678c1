// SPDX-License-Identifier: Apache-2.0
// Corner pooling: a running maximum, memory-bound, without flips.
//   columns  along H: a step is one maximum between two rows of the map
//   rows     along W: rows as lanes, then the same
// Few long lines are cut into parts, which are lanes too, over all cores.
#pragma once

#include "corner_pool_tiling.h"
#include "running_scan.h"

template <typename T, uint32_t KEY>
class CornerPool : public avo::RunningScan<avo::Larger, T, void, KEY == 1> {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR workspace, const CornerPoolTiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitRunning(input, out, nullptr, workspace, tiling, tiling.reverse != 0, pipe);
  }
};
