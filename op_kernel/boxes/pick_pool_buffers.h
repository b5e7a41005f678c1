// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_table_buffers.h"

namespace avo {

constexpr uint32_t kPoolBoxes = kEntryGroup;  // most boxes of a pool: one repeat sees all of them

// What PickPool puts into UB. The weights and the two tiles for intermediate results lie as iou.h wants them.
struct PickPoolBuffers {
  Buffer weights;  // float32: a tile
  Buffer spread;   // float32: the boxes of a pool, each spread over eight data blocks
  Buffer picked;   // float32: those that are picked, likewise
  Buffer scores;   // float32: the scores of the pool before its first pick, its second pick, …
  Buffer planes;   // float32: the fields of the boxes of a pool, and their entries in the table
  Buffer best;     // float32: a data block for each pick with its score, then the scores alone
  Buffer mask;     // a bit for each entry of the table, or each element of a tile
  Buffer work;     // float32: two tiles

  static constexpr uint64_t kTile = uint64_t{kPoolBoxes} * kEntryGroup;  // elements of a tile

  // entries: of the table, a multiple of 64; pooled: whether picks are taken from pools.
  __aicore__ PickPoolBuffers(uint64_t entries, bool pooled)
      : weights{pooled, kTile * 4},
        spread{pooled, kTile * 4},
        picked{pooled, kTile * 4},
        scores{pooled, (kTile + kEntryGroup) * 4},
        planes{pooled, (kFields + 1) * kPoolBoxes * 4},
        best{pooled, (kPoolBoxes * kRecord + kPoolBoxes) * 4},
        mask{pooled, (entries > kTile ? entries : kTile) / 8},
        work{pooled, (2 * kTile + kEntryGroup) * 4} {}
};

}  // namespace avo
