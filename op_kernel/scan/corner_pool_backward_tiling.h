// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "leader_gradients_buffers.h"
#include "scan_gradient_tiling.h"

using CornerPoolBackwardTiling = avo::ScanGradientTiling;

// What the kernel puts into the Unified Buffer.
struct CornerPoolBackwardBuffers {
  avo::LeaderGradientsBuffers sums;
  avo::Buffer input, output;  // queues: of the forward call, as they lie in GM
  avo::Buffer marks;          // float32: inputs, then -1 where an element does not lead
  avo::Buffer leads, nans;    // a bit for each element
  avo::Buffer widened;        // 2-byte types: outputs as float32

  __aicore__ CornerPoolBackwardBuffers(const avo::ScanGradientTiling &tiling, const avo::ScanLayout &layout)
      : CornerPoolBackwardBuffers(layout, avo::ScanTileSize(layout, tiling)) {}

  // Elements of a tile as it is copied, in whole repeats: what is compared.
  static __aicore__ uint64_t Compared(const avo::ScanTileSize &size) {
    return avo::WholeUnits(size.copied, avo::ScanLayout::kRepeat);
  }

 private:
  __aicore__ CornerPoolBackwardBuffers(const avo::ScanLayout &layout, const avo::ScanTileSize &size)
      : sums(layout, size),
        input{1, Compared(size) * layout.item},
        output{input},
        marks{1, Compared(size) * 4},
        leads{1, Compared(size) / 8},
        nans{leads},
        widened{layout.item == 2 ? 1u : 0u, Compared(size) * 4} {}
};
