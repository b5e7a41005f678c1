// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

// The input as (outer, length, inner), scanned along length (scan_layout.h has drawings).
struct RunningScanTiling {
  int64_t outer;         // slices before the scanned axis
  int64_t length;        // elements of a line, along the scanned axis
  int64_t inner;         // contiguous elements behind the scanned axis; 1: rows are scanned
  int64_t outerTiles;    // tiles across the slices, or across the parts of all lines
  int64_t columnTiles;   // tiles across the elements of a slice
  int64_t groups;        // tiles of a line that is cut into parts; 0: lines are whole
  int64_t partLength;    // positions of a part; the last part of a line may have fewer
  uint32_t tileOuter;    // slices, or parts of a line, in a tile
  uint32_t tileColumns;  // elements of each slice in a tile
  uint32_t tileLength;   // positions of the scanned axis in UB at once
  uint32_t runLength;    // positions of a run; all runs take their steps at the same time
  uint32_t rowPitch;     // rows: elements from one row of values to the next one in UB
  uint32_t indexPitch;   // rows: elements from one row of indices to the next one in UB; 0: no indices
  uint32_t indexLength;  // indexed rows: positions of 16 rows whose indices are copied at once
  uint32_t outQueue;     // indexed rows: such pieces of results in UB at once
  uint32_t reverse;      // 1: the scan goes from the last position to the first
};

}  // namespace avo
