// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The input as (outer, length, inner), searched along length.
struct ArgmaxTiling {
  int64_t outer;         // slices before the searched axis
  int64_t length;        // of the searched axis
  int64_t inner;         // contiguous elements behind it; 1: lines are searched
  int64_t outerTiles;    // columns: tiles across the slices; lines: tiles across their parts
  int64_t columnTiles;   // columns: tiles across the elements of a slice
  int64_t parts;         // lines: that a line is cut into, the last one overlapping the one before
  int64_t partLength;    // lines: elements of each
  uint32_t tileOuter;    // columns: slices of a tile; lines: parts of lines; short: lines
  uint32_t tileColumns;  // columns: elements of each slice
  uint32_t tileLength;   // positions, or elements of a part, in UB at once
  uint32_t pitch;        // elements between the rows of a tile in UB; short: lanes
  uint32_t last;         // 1: the last of equal elements, 0: the first
  uint32_t bypass;       // 1: inputs are read past the L2
  uint32_t apart;        // short: lines from lane to lane
  uint32_t partsAtOnce;  // lines: partial results that are put together in UB at once
};
