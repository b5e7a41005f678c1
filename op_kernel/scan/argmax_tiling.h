// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The input as (outer, length, inner), searched along length.
struct ArgmaxTiling {
  int64_t outer;         // slices before the searched axis
  int64_t length;        // elements of a line, along the searched axis
  int64_t inner;         // contiguous elements behind the searched axis; 1: lines are searched
  int64_t outerTiles;    // columns: tiles across the slices; lines: tiles across the parts of all lines
  int64_t columnTiles;   // columns: tiles across the elements of a slice
  int64_t parts;         // of a line, along the searched axis; the last one may overlap the one before
  int64_t partLength;    // elements of a part
  uint32_t tileOuter;    // columns: slices of a tile; lines: parts of a tile; short: lines of a tile
  uint32_t tileColumns;  // columns: elements of each slice in a tile
  uint32_t tileLength;   // positions, or elements of a part, in UB at once
  uint32_t pitch;        // elements from one row of a tile to the next one in UB; short: lanes
  uint32_t last;         // 1: the last of equal elements wins; 0: the first
  uint32_t bypass;       // 1: inputs are read past the L2
  uint32_t apart;        // short: lines from one line of a group to the next one; 0: not short
  uint32_t top;          // lines as trees: data blocks of a line at the top; 0: no trees
  uint32_t levels;       // lines as trees: halvings from a line to its top
  uint32_t piece;        // lines as trees: data blocks that are halved at once
  uint32_t queue;        // lines as trees: tiles in UB at once
  uint32_t partsAtOnce;  // parts of a line whose results are joined in UB at once
};
