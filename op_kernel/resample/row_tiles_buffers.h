// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// What RowTiles (row_tiles.h) puts into the Unified Buffer.
struct RowTilesBuffers {
  Buffer in;   // queue of input tiles
  Buffer out;  // queue of output tiles

  // rows: of a tile; in_row, out_row: elements from row to row of an input and of an output tile; item: bytes
  // of an element.
  __aicore__ RowTilesBuffers(uint64_t rows, uint64_t in_row, uint64_t out_row, uint64_t item)
      : in{2, rows * in_row * item}, out{2, rows * out_row * item} {}
};

// What the kernels put into the Unified Buffer where rows are lanes (key phases).
struct PhaseBuffers {
  static constexpr uint64_t kRows = 16;  // rows of a tile, the lanes of a slot

  RowTilesBuffers tiles;
  Buffer in_lanes;   // float32: slots of inputs
  Buffer out_lanes;  // float32: slots of outputs
  Buffer staging;    // slots of elements of 2 bytes, before they are widened or after they are rounded

  // in_slots, out_slots: of a tile, in all planes together; the others as for RowTilesBuffers.
  __aicore__ PhaseBuffers(uint64_t in_row, uint64_t out_row, uint64_t in_slots, uint64_t out_slots,
                          uint64_t item)
      : tiles(kRows, in_row, out_row, item),
        in_lanes{1, in_slots * kRows * 4},
        out_lanes{1, out_slots * kRows * 4},
        staging{item == 4 ? 0u : 1u, (in_slots > out_slots ? in_slots : out_slots) * kRows * item} {}
};

}  // namespace avo
