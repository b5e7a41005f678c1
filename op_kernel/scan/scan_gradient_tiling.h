// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

// The input as (outer, length, inner), summed along length (scan_layout.h has drawings).
struct ScanGradientTiling {
  int64_t outer;         // slices before the summed axis
  int64_t length;        // elements of a line, along the summed axis
  int64_t inner;         // contiguous elements behind the summed axis; 1: rows are summed
  int64_t outerTiles;    // tiles across the slices
  int64_t columnTiles;   // tiles across the elements of a slice
  uint32_t tileOuter;    // slices of a tile
  uint32_t tileColumns;  // elements of each slice in a tile
  uint32_t tileLength;   // positions of the summed axis in UB at once
  uint32_t rowPitch;     // rows: elements from one row to the next one in UB
  uint32_t reverse;      // 1: the scan went from the last position to the first, so sums go the other way
};

}  // namespace avo
