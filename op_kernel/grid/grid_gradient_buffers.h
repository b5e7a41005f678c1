// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/bilinear_rows_buffers.h"
#include "../common/sampling/corner_dots_buffers.h"
#include "grid_buffers.h"

namespace avo {

// What GridSums (grid_gradient.h) puts into the Unified Buffer.
struct GridSumsBuffers {
  Buffer out;      // queue, the results (x, y) of each sample
  Buffer sums;     // float32, [axis][capacity]
  Buffer product;  // float32, two rows
  Buffer pairing;  // int32, where the results (x, y) of each sample lie in `sums`
  Buffer wide;     // float32, the results before they are rounded; half types alone

  __aicore__ GridSumsBuffers(uint64_t capacity, uint64_t item)
      : out{1, 2 * capacity * item},
        sums{1, 2 * capacity * 4},
        product{1, 2 * capacity * 4},
        pairing{1, 2 * capacity * 4},
        wide{item == 4 ? 0u : 1u, 2 * capacity * 4} {}
};

// Buffers of GridGradient (grid_gradient.h).
struct GridGradientBuffers {
  GridBoxesBuffers boxes;
  GridSumsBuffers results;
  Buffer grads;    // queue, a gradient for each sample
  Buffer weights;  // float32, [axis][taps][capacity]
  Buffer dots;     // float32, [taps * taps][capacity]: sums over the channels

  // taps: neighbours along an axis; capacity: samples of a tile; box: elements of a box; item: bytes of one.
  __aicore__ GridGradientBuffers(uint64_t taps, uint64_t capacity, uint64_t box, uint64_t item)
      : boxes(taps, capacity, box, item, true),
        results(capacity, item),
        grads{2, capacity * item},
        weights{1, 2 * taps * capacity * 4},
        dots{1, taps * taps * capacity * 4} {}
};

// Buffers of GridWindowGradient (grid_window_gradient.h).
struct GridWindowBuffers {
  static constexpr uint64_t kTaps = 2;

  GridTilesBuffers tiles;
  GridSumsBuffers results;
  BilinearRowsBuffers windows;
  CornerDotsBuffers dots;
  Buffer grads;  // queue, gradients of a batch of samples, channels together
  Buffer bits;   // two masks, a bit for each sample
  Buffer wide;   // float32, these gradients; half types alone

  // batch: samples at once, a multiple of 8; chunk: channels at once, a multiple of 16.
  __aicore__ GridWindowBuffers(uint64_t capacity, uint64_t batch, uint64_t chunk, uint64_t item)
      : tiles(kTaps, capacity, item, true),
        results(capacity, item),
        windows(capacity, batch, chunk, item),
        dots(capacity, batch),
        grads{2, batch * chunk * item},
        bits{1, 2 * GridTapsBuffers::MaskBytes(capacity)},
        wide{item == 4 ? 0u : 1u, batch * chunk * 4} {}
};

}  // namespace avo
