// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The input as (outer, length, inner), summed along length.
struct CornerPoolBackwardTiling {
  int64_t outer;         // slices before the summed axis
  int64_t length;        // of the summed axis
  int64_t inner;         // contiguous elements behind it; 1: rows are summed
  int64_t outerTiles;    // tiles across the slices
  int64_t columnTiles;   // tiles across the elements of a slice
  uint32_t tileOuter;    // slices of a tile
  uint32_t tileColumns;  // elements of each
  uint32_t tileLength;   // positions of the summed axis in UB at once
  uint32_t rowPitch;     // rows: elements between the rows of a tile in UB
  uint32_t reverse;      // 1: sums run from the first position to the last
};
