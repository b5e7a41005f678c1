// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_tiles_buffers.h"

// What the kernel puts into the Unified Buffer where it gathers (key gather).
struct UpsampleLinear1dBackwardGatherBuffers {
  avo::RowTilesBuffers tiles;
  avo::Buffer offsets;          // int32: bytes from the start of a tile to the window of an input
  avo::Buffer distance;         // float32: from an input to the position of the first output of its window
  avo::Buffer lowest, highest;  // float32: bounds of this distance
  avo::Buffer weight, grad;     // float32: of one output of each window
  avo::Buffer gathered;         // gradients of 2 bytes, before they are widened
  avo::Buffer sum;              // float32: sums that are rounded to 2 bytes at the end

  // As for RowTilesBuffers.
  __aicore__ UpsampleLinear1dBackwardGatherBuffers(uint64_t rows, uint64_t in_row, uint64_t out_row,
                                                   uint64_t item)
      : tiles(rows, in_row, out_row, item),
        offsets{1, rows * out_row * 4},
        distance{1, rows * out_row * 4},
        lowest{1, rows * out_row * 4},
        highest{1, rows * out_row * 4},
        weight{1, rows * out_row * 4},
        grad{1, rows * out_row * 4},
        gathered{item == 4 ? 0u : 1u, rows * out_row * item},
        sum{item == 4 ? 0u : 1u, rows * out_row * 4} {}
};
