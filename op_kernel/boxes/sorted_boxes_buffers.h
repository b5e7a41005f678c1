// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"
#include "box_planes.h"
#include "score_sort_buffers.h"

namespace avo {

// What SortedBoxes puts into UB. A data block (32 bytes) holds what is fetched of one box.
struct SortedBoxesBuffers {
  Buffer pairs;       // (score, index) pairs of the boxes to fetch
  Buffer rows;        // a data block for each box: its corners, in their own dtype
  Buffer corners;     // one corner of each box, in its own dtype
  Buffer work;        // float32: intermediate results of areas
  Buffer planes;      // float32: the planes that are stored
  Buffer patterns;    // a data block for each element of a row that is picked out
  Buffer class_rows;  // a data block for each box: its class, an int64; none without classes

  // tile: boxes that are fetched at a time; item: bytes of a corner.
  __aicore__ SortedBoxesBuffers(uint64_t tile, uint64_t item, bool classes)
      : pairs{1, tile * kPairBytes},
        rows{1, tile * 32},
        corners{1, tile * item},
        work{1, tile * 4},
        planes{1, SortedPlanesOf(classes) * tile * 4},
        patterns{1, (4 + 2) * 32},
        class_rows{classes ? 1U : 0U, tile * 32} {}
};

}  // namespace avo
