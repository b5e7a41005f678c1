// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_tiles_buffers.h"

// What the kernel puts into the Unified Buffer where it gathers (key gather).
struct UpsampleLinear1dGatherBuffers {
  avo::RowTilesBuffers tiles;
  avo::Buffer left_offsets,
      right_offsets;  // int32: bytes from the start of a tile to both samples of an output
  avo::Buffer left_weights, right_weights;  // float32: weights of both samples
  avo::Buffer left, right;                  // float32: both samples
  avo::Buffer gathered;                     // samples of 2 bytes, before they are widened

  // As for RowTilesBuffers.
  __aicore__ UpsampleLinear1dGatherBuffers(uint64_t rows, uint64_t in_row, uint64_t out_row, uint64_t item)
      : tiles(rows, in_row, out_row, item),
        left_offsets{1, rows * out_row * 4},
        right_offsets{1, rows * out_row * 4},
        left_weights{1, rows * out_row * 4},
        right_weights{1, rows * out_row * 4},
        left{1, rows * out_row * 4},
        right{1, rows * out_row * 4},
        gathered{item == 4 ? 0u : 1u, rows * out_row * item} {}
};
