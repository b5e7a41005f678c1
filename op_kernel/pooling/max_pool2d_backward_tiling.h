// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Tiles of the image, and chunks of the windows over them (op_kernel/pooling/window_gradients.h).
struct MaxPool2dBackwardTiling {
  int64_t planes;          // N * C, 16 of them a tile
  int64_t inRows;          // H
  int64_t inColumns;       // W
  int64_t outRows;         // rows of windows
  int64_t outColumns;      // columns of windows
  int64_t kernelRows;      // kernel_size[0]
  int64_t kernelColumns;   // kernel_size[1]
  int64_t strideRows;      // stride[0]
  int64_t strideColumns;   // stride[1]
  int64_t padRows;         // padding[0]
  int64_t padColumns;      // padding[1]
  int64_t dilateRows;      // dilation[0]
  int64_t dilateColumns;   // dilation[1]
  int64_t planeGroups;     // tiles across the planes
  int64_t rowTiles;        // tiles along the rows of a plane
  int64_t columnTiles;     // tiles along a row
  uint32_t tileRows;       // rows of the image that a tile owns
  uint32_t tileColumns;    // columns of the image that a tile owns
  uint32_t chunkRows;      // rows of windows at once
  uint32_t chunkColumns;   // columns of windows at once
  uint32_t planeElements;  // elements of a plane that are loaded at once
  uint32_t tapRows;        // rows of a window that are loaded at once
  uint32_t tapColumns;     // columns of a window that are loaded at once
  uint32_t regionRows;     // rows of the image under the windows at once
  uint32_t regionPitch;    // slots from one to the next
};
