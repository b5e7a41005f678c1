// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Windows of tiles of planes, output rows and output columns (op_kernel/pooling/pool_windows.h), or of whole
// planes (pool_planes.h).
struct MaxPool2dTiling {
  int64_t planes;         // N * C
  int64_t inRows;         // H
  int64_t inColumns;      // W
  int64_t outRows;        // rows of the result
  int64_t outColumns;     // columns of the result
  int64_t kernelRows;     // kernel_size[0]
  int64_t kernelColumns;  // kernel_size[1]
  int64_t strideRows;     // stride[0]
  int64_t strideColumns;  // stride[1]
  int64_t padRows;        // padding[0]
  int64_t padColumns;     // padding[1]
  int64_t dilateRows;     // dilation[0]
  int64_t dilateColumns;  // dilation[1]
  int64_t planeGroups;    // tiles across the planes
  int64_t rowTiles;       // along the rows of a plane
  int64_t columnTiles;    // along a row
  uint32_t tilePlanes;    // planes of a tile
  uint32_t tileRows;      // output rows of a tile, in each plane
  uint32_t tileColumns;   // output columns of a tile
  uint32_t tapRows;       // rows of a window that are loaded at once
  uint32_t tapColumns;    // columns of a window that are loaded at once
  uint32_t wholeRows;     // 1: rows are loaded whole, also where windows leave a few columns
  uint32_t inElements;    // elements of an input tile, its rows of padding included
  uint32_t wideElements;  // of that tile in float32, where windows are combined in another type than it has
  uint32_t chunk;         // columns of it that lie together; planes: those from lane to lane
  uint32_t rowPitch;      // elements between the combined rows in UB; planes: positions
  uint32_t slots;         // positions of combined rows as lanes; planes: of planes
  uint32_t slotLanes;     // lanes from position to position
  uint32_t outPitch;      // elements between the rows of an output tile in UB; planes: between planes
};
