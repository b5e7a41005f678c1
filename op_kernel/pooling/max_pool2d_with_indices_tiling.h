// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "max_pool2d_with_indices_buffers.h"
#include "pool_grid_tiling.h"

// The result is cut into a grid of tiles: groups of 16 planes, rows of windows, windows of a row.
struct MaxPool2dWithIndicesTiling : avo::PoolGridTiling {
  uint32_t chunkRows;     // rows of windows of a tile
  uint32_t chunkColumns;  // windows of a row of a tile
  uint32_t chunkPitch;    // slots from row to row of windows
  uint32_t tapRows;       // rows of a window that are loaded at once
  uint32_t tapColumns;    // columns of a window that are loaded at once
  uint32_t regionRows;    // rows of the image under a tile, in whole groups
  uint32_t regionPitch;   // slots from one of these rows to the next, of a plane
  uint32_t rowGroups;     // groups of these rows: strideRows, or 1 where a tile has one row of windows
  uint32_t columnPlanes;  // planes that columns are dealt out to: strideColumns, or 1 where that is too large
  uint32_t planeElements;  // elements of a plane that are loaded at once
  uint32_t storedRows;     // rows of windows of a plane that are stored at once
};
