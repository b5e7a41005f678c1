// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_cpu/pooling/windows.h"

namespace avo {

// How many rows of the result are computed together: `most`, or more where windows are so high that many of
// them would reach into several tiles.
inline int64_t RowsTogether(const WindowAxis &rows, int64_t most) {
  return std::min(rows.size, std::max(most, 4 * rows.Reach()));
}

// The rows of a tile of gradients. A range ends behind its last row.
struct TileRows {
  int64_t first, last;        // of the result
  int64_t top, bottom;        // of the windows that reach into these
  int64_t in_first, in_last;  // of the image that these windows reach
  int64_t start;              // of the tile, counted from the start of the padding
  int64_t height;             // of the tile

  // For rows [first, last) of the result, where there are `windows` rows of windows.
  static TileRows Of(const WindowAxis &rows, int64_t windows, int64_t first, int64_t last) {
    const int64_t lowest = first + rows.padding - rows.Reach() + 1;
    TileRows at{first, last, 0, 0, first, first, first + rows.padding, last - first};
    at.top = lowest <= 0 ? 0 : CeilDiv(lowest, rows.stride);
    at.bottom = std::min(windows, (last - 1 + rows.padding) / rows.stride + 1);
    if (at.top >= at.bottom) return at;
    const int64_t end = rows.Start(at.bottom - 1) + rows.Reach();
    at.start = std::min(at.start, at.top * rows.stride);
    at.height = std::max(end, last) + rows.padding - at.start;
    at.in_first = std::max<int64_t>(0, rows.Start(at.top));
    at.in_last = std::min(rows.size, end);
    return at;
  }

  // For rows [top, bottom) of windows, whose pixels count from the first one of the image.
  static TileRows OfWindows(const WindowAxis &rows, int64_t top, int64_t bottom) {
    const int64_t in_first = std::max<int64_t>(0, rows.Start(top));
    const int64_t in_last = std::min(rows.size, rows.Start(bottom - 1) + rows.Reach());
    return {0, rows.size, top, bottom, in_first, std::max(in_first, in_last), 0, 0};
  }
};

}  // namespace avo
