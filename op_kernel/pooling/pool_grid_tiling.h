// SPDX-License-Identifier: Apache-2.0
// What the tiling structs of all pooling operators begin with.
#pragma once

#include <cstdint>

namespace avo {

// The call, and how its result is cut into a grid of tiles: groups of planes, rows, columns.
struct PoolGridTiling {
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
};

}  // namespace avo
