// SPDX-License-Identifier: Apache-2.0
// Tiles of results (N, C, H, W).
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/math.h"

namespace avo {

// A rectangle of positions in the result of one image.
struct Tile {
  int64_t image, row, column, rows, columns;

  int64_t positions() const { return rows * columns; }
};

// Tiles that cover the result of an image. They have at most `most` positions and `most_columns` columns, and
// are as equal in size as possible.
class Tiles {
 public:
  Tiles(int64_t rows, int64_t columns, int64_t most, int64_t most_columns) : rows_(rows), columns_(columns) {
    across_ = CeilDiv(columns_, std::min(most, most_columns));
    down_ = CeilDiv(rows_, std::min(rows_, most / CeilDiv(columns_, across_)));
  }

  int64_t count() const { return down_ * across_; }

  Tile operator()(int64_t image, int64_t tile) const {
    // For a small image, the divisions would take longer than its samples.
    if (count() == 1) return {image, 0, 0, rows_, columns_};
    const int64_t y = tile / across_, x = tile % across_;
    const int64_t row = rows_ * y / down_, column = columns_ * x / across_;
    return {image, row, column, rows_ * (y + 1) / down_ - row, columns_ * (x + 1) / across_ - column};
  }

 private:
  int64_t rows_, columns_, across_, down_;
};

}  // namespace avo
