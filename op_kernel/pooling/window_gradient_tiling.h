// SPDX-License-Identifier: Apache-2.0
// The tiling struct that the gradients of max_pool2d and avg_pool2d share.
#pragma once

#include "pool_grid_tiling.h"

namespace avo {

// The image is cut into a grid of tiles: groups of 16 planes, rows, columns. A core owns a tile and goes
// through the windows that have elements in it, one chunk of windows after another (window_gradients.h).
struct WindowGradientTiling : PoolGridTiling {
  uint32_t tileRows;       // rows of the image that a tile owns
  uint32_t tileColumns;    // columns of the image that a tile owns
  uint32_t chunkRows;      // rows of windows of a chunk
  uint32_t chunkColumns;   // windows of a row of a chunk
  uint32_t planeElements;  // elements of a plane that are loaded at once
  uint32_t storedRows;     // rows of a plane that are stored at once
  uint32_t columnPlanes;  // planes that columns are dealt out to: strideColumns, or 1 where that is too large
  uint32_t chunkPitch;    // slots from row to row of a chunk of windows
  uint32_t sumPitch;      // slots from row to row of a plane of the elements that a tile owns
};

}  // namespace avo
