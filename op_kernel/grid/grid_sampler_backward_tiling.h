// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Tiles of samples, seen as one row, for both gradients (op_kernel/grid/grid_boxes.h); and bands of pixels
// of the image, for its gradient.
struct GridSamplerBackwardTiling {
  int64_t images;          // N
  int64_t channels;        // C
  int64_t height;          // H
  int64_t width;           // W
  int64_t outRows;         // 1
  int64_t outColumns;      // samples
  int64_t rowTiles;        // 1
  int64_t columnTiles;     // tiles of samples
  int64_t channelGroups;   // groups of channels
  int64_t bandRows;        // rows of a band
  int64_t bandColumns;     // pixels of each; less than W where a row does not fit
  uint32_t groupChannels;  // channels of a group, rounded up to 16
  uint32_t tileRows;       // 1
  uint32_t tileColumns;    // samples of a tile
  uint32_t capacity;       // samples that rows in UB hold
  uint32_t boxElements;    // of the input in UB at once
  uint32_t taps;           // neighbours along an axis: 1, 2 or 4
  uint32_t interpolation;  // 0 bilinear, 1 nearest, 2 bicubic
  uint32_t padding;        // 0 zeros, 1 border, 2 reflection
  uint32_t alignCorners;   // 1: -1 and 1 are centres of pixels
  uint32_t gradInput;      // 1: the gradient of the images is wanted
  uint32_t gradGrid;       // 1: that of the grid
  float scaleY;            // pixels of a unit of coordinates
  float scaleX;            //
  float lastY;             // the last pixel, as the largest float up to it
  float lastX;             //
  float spanY;             // from one line of reflection to the other
  float spanX;             //
};
