// SPDX-License-Identifier: Apache-2.0
// Corner pooling: a running maximum, without flips. It is bound by memory. scan_layout.h has drawings.
//   columns  along H: a step is one maximum between two rows of the map
//   rows     along W: rows are transposed to lanes; then a step is the same
// Few long lines are cut into parts, which are scanned side by side on all cores.
#pragma once

#include "corner_pool_tiling.h"
#include "running_scan.h"

template <typename T, uint32_t KEY>
class CornerPool : public avo::RunningScan<avo::Larger, T, void, KEY == 1> {
  using Scan = avo::RunningScan<avo::Larger, T, void, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR workspace, const CornerPoolTiling &tiling,
                              AscendC::TPipe *pipe) {
    Scan::Init(input, out, nullptr, workspace, tiling, pipe);
  }
};
