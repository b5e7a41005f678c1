// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Tiles of samples, and groups of channels (op_kernel/grid/grid_boxes.h). The grid is seen as one row where
// that serves.
struct GridSamplerTiling {
  int64_t images;          // N
  int64_t channels;        // C
  int64_t height;          // H
  int64_t width;           // W
  int64_t outRows;         // rows of samples
  int64_t outColumns;      // samples of a row
  int64_t rowTiles;        // tiles along the rows of samples
  int64_t columnTiles;     // tiles along a row
  int64_t channelGroups;   // groups of channels
  uint32_t groupChannels;  // channels of a group
  uint32_t tileRows;       // rows of a tile
  uint32_t tileColumns;    // samples of each
  uint32_t capacity;       // samples that rows in UB hold
  uint32_t boxElements;    // of the input in UB at once
  uint32_t taps;           // neighbours along an axis: 1, 2 or 4
  uint32_t interpolation;  // 0 bilinear, 1 nearest, 2 bicubic
  uint32_t padding;        // 0 zeros, 1 border, 2 reflection
  uint32_t alignCorners;   // 1: -1 and 1 are centres of pixels
  float scaleY;            // pixels of a unit of coordinates
  float scaleX;            //
  float lastY;             // the last pixel, as the largest float up to it
  float lastX;             //
  float spanY;             // from one line of reflection to the other
  float spanX;             //
};
