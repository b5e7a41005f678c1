// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/memory/buffers.h"

struct CountOutsideTiling {
  int64_t indices;      // K
  uint32_t tileLength;  // indices in UB at once, a multiple of 64
  float size;           // indices in [0, size) are inside
};

// What the kernel puts into the Unified Buffer.
struct CountOutsideBuffers {
  avo::Buffer indices;              // queue of tiles
  avo::Buffer values, flags, work;  // float32: indices, 1 for each outside, scratch of the sum
  avo::Buffer zeros;                // float32
  avo::Buffer bits;                 // two masks, a bit for each index
  avo::Buffer count;                // queue of the result

  // tile: indices of a tile; item: bytes of an index.
  __aicore__ CountOutsideBuffers(uint64_t tile, uint64_t item)
      : indices{2, tile * item},
        values{1, tile * 4},
        flags{1, tile * 4},
        work{1, tile * 4},
        zeros{1, tile * 4},
        bits{1, 2 * MaskBytes(tile)},
        count{1, 32} {}

  // Bytes of a mask of a bit for each index, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t tile) { return (tile / 8 + 31) / 32 * 32; }
};
