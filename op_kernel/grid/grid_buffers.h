// SPDX-License-Identifier: Apache-2.0
// What the helpers of grid samples put into the Unified Buffer. Most buffers have an element for each of the
// `capacity` samples of a tile (a row), or a row for each of the taps x taps neighbours of a sample (a
// table).
#pragma once

#include "../common/memory/buffers.h"
#include "../common/sampling/pixel_bands_buffers.h"

namespace avo {

// Buffers of GridTaps (grid_taps.h).
struct GridTapsBuffers {
  Buffer rows;             // float32, [neighbours and scratch][capacity]
  Buffer bits, more_bits;  // masks, a bit for each sample

  static constexpr uint64_t kScratchRows = 4;

  // taps: neighbours along an axis; capacity: samples of a tile; slopes: whether derivatives are computed
  // too.
  __aicore__ GridTapsBuffers(uint64_t taps, uint64_t capacity, bool slopes)
      : rows{1, ((slopes ? 6 : 4) * taps + kScratchRows) * capacity * 4},
        bits{1, MaskBytes(capacity)},
        more_bits{1, MaskBytes(capacity)} {}

  // Bytes of a mask with a bit for each sample, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t capacity) { return (capacity / 8 + 31) / 32 * 32; }
};

// Buffers of GridTiles (grid_boxes.h).
struct GridTilesBuffers {
  GridTapsBuffers neighbours;
  Buffer grid;     // queue, the coordinates (x, y) of each sample
  Buffer offsets;  // int32, a table
  Buffer work;     // float32, two rows
  Buffer pairs;    // float32, the coordinates (x, y) of each sample; half types alone

  // item: bytes of a coordinate.
  __aicore__ GridTilesBuffers(uint64_t taps, uint64_t capacity, uint64_t item, bool slopes)
      : neighbours(taps, capacity, slopes),
        grid{1, 2 * capacity * item},
        offsets{1, taps * taps * capacity * 4},
        work{1, 2 * capacity * 4},
        pairs{item == 4 ? 0u : 1u, 2 * capacity * 4} {}
};

// Buffers of GridBoxes (grid_boxes.h).
struct GridBoxesBuffers {
  GridTilesBuffers tiles;
  Buffer box;     // queue of boxes of pixels
  Buffer narrow;  // a row of pixels; half types alone

  // box_elements: elements of a box; item: bytes of one.
  __aicore__ GridBoxesBuffers(uint64_t taps, uint64_t capacity, uint64_t box_elements, uint64_t item,
                              bool slopes)
      : tiles(taps, capacity, item, slopes),
        box{2, box_elements * item},
        narrow{item == 4 ? 0u : 1u, capacity * item} {}
};

// Buffers of GridTerms (grid_terms.h).
struct GridTermsBuffers {
  GridTilesBuffers tiles;
  PixelTermsBuffers terms;

  __aicore__ GridTermsBuffers(uint64_t taps, uint64_t capacity, uint64_t item)
      : tiles(taps, capacity, item, false), terms(taps * taps, capacity) {}
};

}  // namespace avo
