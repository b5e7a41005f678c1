// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

// What the tilings of grid_sampler and of its gradient share: tiles of samples with the boxes of pixels that
// they read (grid_boxes.h). Tiling may see the whole grid as one row of samples, so that a tile goes on where
// a row ends.
struct GridTiling {
  int64_t images;          // N
  int64_t channels;        // C
  int64_t height;          // H
  int64_t width;           // W
  int64_t outRows;         // rows of the grid; 1 where it is seen as one row
  int64_t outColumns;      // samples of a row of the grid
  int64_t rowTiles;        // tiles along the rows of the grid
  int64_t columnTiles;     // tiles along a row
  uint32_t tileRows;       // rows of samples of a tile
  uint32_t tileColumns;    // samples of each row of a tile
  uint32_t capacity;       // samples that UB has room for, a multiple of 64
  uint32_t boxElements;    // elements of the input in UB at once
  uint32_t taps;           // neighbours along an axis: 1, 2 or 4
  uint32_t interpolation;  // 0 bilinear, 1 nearest, 2 bicubic
  uint32_t padding;        // 0 zeros, 1 border, 2 reflection
  uint32_t alignCorners;   // 1: coordinates -1 and 1 are the centres of the outer pixels
  float scaleY;            // pixels that a coordinate of 1 stands for, along the height
  float scaleX;            // the same along the width
  float lastY;             // index of the last row of pixels, or the largest float below it
  float lastX;             // the same of the last column
  float spanY;             // pixels between the two lines of reflection, along the height
  float spanX;             // the same along the width
};

}  // namespace avo
