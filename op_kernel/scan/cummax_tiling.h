// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The input as (outer, length, inner), scanned along length.
struct CummaxTiling {
  int64_t outer;         // slices before the scanned axis
  int64_t length;        // of the scanned axis
  int64_t inner;         // contiguous elements behind it; 1: rows are scanned
  int64_t outerTiles;    // tiles across the slices, or across the lines in parts
  int64_t columnTiles;   // tiles across the elements of a slice
  int64_t groups;        // tiles of a line whose slices are parts of it; 0: lines are whole
  int64_t partLength;    // positions of each part, the last one of a line may have less
  uint32_t tileOuter;    // slices of a tile
  uint32_t tileColumns;  // elements of each
  uint32_t tileLength;   // positions of the scanned axis in UB at once
  uint32_t runLength;    // of them that are scanned one after the other, in all runs of them at once
  uint32_t rowPitch;     // rows: elements between the rows of a tile in UB
  uint32_t indexPitch;   // rows: the same of its indices
};
