// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scan_tiles_buffers.h"

namespace avo {

// What LeaderGradients (leader_gradients.h) puts into the Unified Buffer.
struct LeaderGradientsBuffers {
  ScanTilesBuffers tiles;
  Buffer following;  // int32: masks, all ones where an element does not lead
  Buffer work;       // float32: gradients, where they are not computed on as they were copied

  __aicore__ LeaderGradientsBuffers(const ScanLayout &layout, const ScanTileSize &size)
      : tiles(layout, size),
        following{1, size.elements * 4},
        work{layout.Direct() ? 0u : 1u, size.elements * 4} {}
};

}  // namespace avo
