// SPDX-License-Identifier: Apache-2.0
// Columns of an image by the windows that they are in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "op_cpu/pooling/windows.h"

namespace avo {

// Neighbouring columns [first, last) that are in the same windows. The element that they have lies at place
// `at` of a line; a gap, whose columns are in no window, has none.
struct ColumnGroup {
  int64_t first, last;
  WindowSpan windows;
  int64_t at;

  bool Gap() const { return windows.first == windows.end; }
};

// How the places of a line are numbered: by columns, or by groups without gaps.
enum class LinePlaces { kColumns, kGroups };

// Neighbouring groups that are computed together, and what they have in common.
struct ColumnTile {
  LinePlaces places;
  std::vector<ColumnGroup> groups;
  WindowSpan windows;  // of all groups
  int64_t gaps;        // columns that are in no window
  int64_t size;        // elements of a line
  bool apart;          // whether each element is of one window, in their order

  int64_t First() const { return groups.front().first; }
  int64_t Last() const { return groups.back().last; }
};

// Splits an axis without dilation into tiles of at most `most` columns, or of groups where places are groups.
inline std::vector<ColumnTile> ColumnTiles(const WindowAxis &axis, int64_t windows, LinePlaces places,
                                           int64_t most) {
  std::vector<ColumnTile> tiles;
  int64_t last = 0;
  for (int64_t x = 0; x < axis.size; x = last) {
    const WindowSpan span = axis.WindowsAt(x, windows);
    const bool gap = span.first == span.end;
    for (last = x + 1; last < axis.size && axis.WindowsAt(last, windows) == span;) ++last;
    while (x < last) {
      const bool by_columns = places == LinePlaces::kColumns;
      if (tiles.empty() || tiles.back().size >= most)
        tiles.push_back({places, {}, {0, 0}, 0, 0, !by_columns});
      ColumnTile &tile = tiles.back();
      const int64_t end = by_columns ? std::min(last, x + most - tile.size) : last;
      tile.groups.push_back({x, end, span, tile.size});
      tile.size += by_columns ? end - x : !gap;
      if (gap) {
        tile.gaps += end - x;
      } else {
        if (tile.windows.first == tile.windows.end) tile.windows.first = span.first;
        tile.windows.end = span.end;
        tile.apart &= span.end - span.first == 1;
      }
      x = end;
    }
  }
  return tiles;
}

}  // namespace avo
