// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "grid_buffers.h"
#include "grid_tiling.h"

using GridSamplerBackwardTiling = avo::GridTiling;

// What the kernel puts into the Unified Buffer for the gradient of the grid. The gradient of the images comes
// afterwards and starts with an empty one: GridScatterBuffers.
struct GridGradientBuffers {
  avo::GridBoxesBuffers boxes;
  avo::Buffer grads;    // queue, a gradient for each sample
  avo::Buffer out;      // queue, the results (x, y) of each sample
  avo::Buffer slopes;   // float32, [axis][taps * taps][capacity]: derivatives of weights
  avo::Buffer sums;     // float32, [axis][capacity]
  avo::Buffer pairing;  // int32, where the results (x, y) of each sample lie in `sums`
  avo::Buffer wide;     // float32, the results before they are rounded; half types alone

  // taps: neighbours along an axis; capacity: samples of a tile; box: elements of a box; item: bytes of one.
  __aicore__ GridGradientBuffers(uint64_t taps, uint64_t capacity, uint64_t box, uint64_t item)
      : boxes(taps, capacity, box, item, true),
        grads{2, capacity * item},
        out{1, 2 * capacity * item},
        slopes{1, 2 * taps * taps * capacity * 4},
        sums{1, 2 * capacity * 4},
        pairing{1, 2 * capacity * 4},
        wide{item == 4 ? 0u : 1u, 2 * capacity * 4} {}
};
