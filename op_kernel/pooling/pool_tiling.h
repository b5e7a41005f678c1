// SPDX-License-Identifier: Apache-2.0
// The tiling struct that max_pool2d and avg_pool2d share.
#pragma once

#include "pool_grid_tiling.h"

namespace avo {

// The result is cut into a grid of tiles: groups of planes, rows of windows, columns of windows. There are
// two kernels. The key `windows` (pool_windows.h) combines the rows of windows as they lie in memory; the key
// `planes` (pool_planes.h) makes each small plane a lane, and has whole planes as tiles. A field that means
// something else for `planes` says so.
struct PoolTiling : PoolGridTiling {
  uint32_t tilePlanes;    // planes of a tile
  uint32_t tileRows;      // rows of windows of a tile, in each plane
  uint32_t tileColumns;   // windows of a row of a tile
  uint32_t tapRows;       // rows of a window that are loaded at once
  uint32_t tapColumns;    // columns of a window that are loaded at once
  uint32_t wholeRows;     // 1: whole rows are loaded, even if windows do not read some of the columns
  uint32_t inElements;    // elements of an input tile, with its rows of padding
  uint32_t wideElements;  // the same in float32, where windows of a half type are combined in it; else 0
  uint32_t chunk;         // columns of the float32 tile that lie together; planes: from lane to lane
  uint32_t rowPitch;      // elements from combined row to combined row; planes: slots from row to row
  uint32_t slots;         // slots of combined rows; planes: slots of a plane
  uint32_t slotLanes;     // lanes of a slot
  uint32_t outPitch;      // elements from row to row of an output tile; planes: from plane to plane
};

}  // namespace avo
