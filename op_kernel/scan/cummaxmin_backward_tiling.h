// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "leader_gradients_buffers.h"
#include "scan_gradient_tiling.h"

using CummaxminBackwardTiling = avo::ScanGradientTiling;

// What the kernel puts into the Unified Buffer.
struct CummaxminBackwardBuffers {
  avo::LeaderGradientsBuffers sums;
  avo::Buffer indices;  // queue: indices as they lie in GM
  avo::Buffer numbers;  // int32: the number of each position, repeated for all lanes
  avo::Buffer narrow;   // int32: indices of 8 bytes as int32

  // index_item: bytes of an index.
  __aicore__ CummaxminBackwardBuffers(const avo::ScanGradientTiling &tiling, const avo::ScanLayout &layout,
                                      uint64_t index_item)
      : CummaxminBackwardBuffers(layout, avo::ScanTileSize(layout, tiling), index_item) {}

 private:
  __aicore__ CummaxminBackwardBuffers(const avo::ScanLayout &layout, const avo::ScanTileSize &size,
                                      uint64_t index_item)
      : sums(layout, size),
        indices{2, size.copied * index_item},
        numbers{1, size.elements * 4},
        narrow{index_item == 8 ? 1u : 0u, size.copied * 4} {}
};
