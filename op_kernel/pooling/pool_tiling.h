// SPDX-License-Identifier: Apache-2.0
// The tiling struct that max_pool2d and avg_pool2d share.
#pragma once

#include <cstdint>

namespace avo {

// The result is cut into a grid of tiles: groups of planes, rows of windows, columns of windows. There are
// two kernels. The key `windows` (pool_windows.h) combines the rows of windows as they lie in memory; the key
// `planes` (pool_planes.h) makes each small plane a lane, and has whole planes as tiles. A field that means
// something else for `planes` says so.
struct PoolTiling {
  int64_t planes;         // N * C
  int64_t inRows;         // H
  int64_t inColumns;      // W
  int64_t outRows;        // rows of windows of a plane
  int64_t outColumns;     // windows of a row
  int64_t kernelRows;     // kernel_size[0]
  int64_t kernelColumns;  // kernel_size[1]
  int64_t strideRows;     // stride[0]
  int64_t strideColumns;  // stride[1]
  int64_t padRows;        // padding[0]
  int64_t padColumns;     // padding[1]
  int64_t dilateRows;     // dilation[0], 1 for means
  int64_t dilateColumns;  // dilation[1], 1 for means
  int64_t planeGroups;    // tiles across the planes
  int64_t rowTiles;       // tiles along the rows of a plane
  int64_t columnTiles;    // tiles along a row
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
