// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scan_layout.h"

namespace avo {

// What ScanTiles (scan_tiles.h) puts into the Unified Buffer.
struct ScanTilesBuffers {
  Buffer in, out;                 // queues: tiles as they lie in GM
  Buffer carry;                   // keys: for each lane, what the piece before this one ended with
  KeyPlanesBuffers keys;          // int64: the tile as two planes
  PlaneInterleaverBuffers table;  // int64: for the way back
  Buffer staging;                 // 2-byte types in layout `rows`: the tile, transposed and not yet widened

  __aicore__ ScanTilesBuffers(const ScanLayout &layout, const ScanTileSize &size)
      : in{2, size.copied * layout.item},
        out{2, size.copied * layout.item},
        carry{1, CarryKeys(layout, size) * 4},
        keys(layout.item, layout.Planes() > 1 ? size.copied : 0),
        table(layout.item),
        staging{layout.rows && layout.item == 2 ? 1u : 0u, size.elements * layout.item} {}

  // Keys of all carries. Instructions on two planes read whole repeats, so a repeat follows the carries.
  static __aicore__ uint64_t CarryKeys(const ScanLayout &layout, const ScanTileSize &size) {
    return layout.Planes() * size.width + (layout.Planes() > 1 ? ScanLayout::kRepeat : 0);
  }
};

}  // namespace avo
