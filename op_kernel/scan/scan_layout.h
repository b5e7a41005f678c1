// SPDX-License-Identifier: Apache-2.0
// How the elements of a scan lie in the Unified Buffer (UB). Kernels and tiling share this file.
//
// A scan sees its tensor as (outer, length, inner): `length` is the scanned axis. A slice is what one index
// of `outer` selects, a column is one index of `inner`. A tile is some slices times some columns, along the
// whole axis. The axis goes through UB in pieces of some positions. A position holds one element of every
// line of the tile, side by side. So a step of the scan is one vector instruction between two positions.
//
// Layout `columns`, along any axis but the last. Slices a and b, of three columns each:
//
//   slice a in GM   a00 a01 a02     index 0 of the axis
//                   a10 a11 a12     index 1
//   UB              a00 a01 a02 .  b00 b01 b02 . | a10 a11 a12 .  b10 b11 b12 . | …
//                   <-slice pitch->              |
//                   <-----------width----------->|
//                   position 0                     position 1
//
// Layout `rows`, along the last axis, where a slice is one row. Rows are copied as they are and transposed,
// 16 rows at a time:
//
//   copied          a0 a1 a2 …  .  b0 b1 b2 …  .  c0 c1 c2 …  .
//                   <-row pitch->
//   transposed      a0 b0 c0 | a1 b1 c1 | a2 b2 c2 | …       width: the rows, rounded up to 16
//
// Where lines are too few for all cores, they are cut into parts of equal length. The slices of a tile are
// then parts of one line that follow each other, and `groups` tiles make up a line:
//
//   line            [part 0|part 1|part 2|part 3|part 4|par]
//   tiles           [       tile 0       |     tile 1      ]      groups = 2, three slices a tile
#pragma once

#include "key_planes_buffers.h"

namespace avo {

struct ScanLayout {
  uint64_t item;  // bytes of an element in GM: 2, 4 or 8
  bool rows;      // layout `rows`, else `columns`

  static constexpr uint64_t kTransposed = 16;  // rows, and positions, that a transposition takes at once
  static constexpr uint64_t kRepeat = 64;      // keys that an instruction computes in a repeat
  static constexpr uint64_t kKeyBlock = 8;     // keys in a data block

  __aicore__ constexpr uint64_t Planes() const { return KeyPlaneCount(item); }
  // Whether the kernel computes on a tile where it was copied to.
  __aicore__ constexpr bool Direct() const { return !rows && IsOwnKey(item); }

  // Elements from one slice of a position to the next one.
  __aicore__ constexpr uint64_t SlicePitch(uint64_t columns) const {
    return WholeUnits(columns, CopyUnit(item));
  }
  // Elements of a position.
  __aicore__ constexpr uint64_t Width(uint64_t slices, uint64_t columns) const {
    return rows ? WholeUnits(slices, kTransposed) : slices * SlicePitch(columns);
  }
  // Elements of a tile, in whole transpositions and repeats.
  __aicore__ constexpr uint64_t Elements(uint64_t width, uint64_t positions) const {
    return WholeUnits(width * (rows ? WholeUnits(positions, kTransposed) : positions), kRepeat);
  }
  // Keys from the end of one part to the end of the next one, where cores exchange them (part_carries.h).
  __aicore__ constexpr uint64_t EndPitch(uint64_t columns) const {
    return rows ? kKeyBlock : SlicePitch(columns);
  }
};

// The largest tile of a launch.
struct ScanTileSize {
  uint64_t width;     // elements of a position
  uint64_t elements;  // of all positions that are in UB at once
  uint64_t copied;    // elements as they are copied: of rows, with the gaps between them

  // Tiling: RunningScanTiling or ScanGradientTiling.
  template <typename Tiling>
  __aicore__ ScanTileSize(const ScanLayout &layout, const Tiling &tiling)
      : width(layout.Width(tiling.tileOuter, tiling.tileColumns)),
        elements(layout.Elements(width, tiling.tileLength)),
        copied(layout.rows ? width * tiling.rowPitch : elements) {}
};

}  // namespace avo
