// SPDX-License-Identifier: Apache-2.0
// How boxes lie in UB: one plane of float32 for each coordinate, so that one instruction sees 64 left edges.
//
//   plane 0  kX1     x1 of box 0, x1 of box 1, x1 of box 2, …
//   plane 1  kY1     y1 of box 0, …
//   plane 2  kX2
//   plane 3  kY2
//   plane 4  kArea   (x2 - x1 + offset) * (y2 - y1 + offset)
//   plane 5  kIndex  the bits of an int32: where the box is in the input
//   plane 6 …        what SortedBoxes and BoxTable add, each for itself
//
// Tiling includes this file too: it needs the number of planes.
#pragma once

#include <cstdint>

#include "../common/memory/buffers.h"

namespace avo {

// The first planes hold what an overlap is computed from.
enum BoxPlane : uint32_t { kX1, kY1, kX2, kY2, kArea, kBoxPlanes, kIndex = kBoxPlanes };

// Planes of SortedBoxes. The two halves of an int64 class are last, and there only where boxes have classes.
enum SortedPlane : uint32_t {
  kSortedPlanes = kIndex + 1,
  kClassLow = kSortedPlanes,
  kClassHigh,
  kClassPlanes
};

// How many planes SortedBoxes has.
__aicore__ constexpr uint64_t SortedPlanesOf(bool classes) { return classes ? kClassPlanes : kSortedPlanes; }

// Planes of BoxTable: the fields of an entry, then planes for intermediate results, then the numbers 0, 1, …
enum TablePlane : uint32_t {
  kScore = kIndex + 1,
  kFields,
  kWork = kFields,
  kNumbers = kWork + 4,
  kTablePlanes
};

}  // namespace avo
