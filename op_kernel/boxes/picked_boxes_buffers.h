// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_table_buffers.h"

namespace avo {

constexpr uint32_t kPickedBatch = 64;  // boxes that are stored at a time
constexpr uint32_t kDetElements = 5;   // elements of a row of dets: four corners and the score

// What PickedBoxes puts into UB.
struct PickedBoxesBuffers {
  Buffer dets;      // queue of rows of dets, in their own dtype
  Buffer indices;   // queue of indices, in their own dtype
  Buffer records;   // float32: picked boxes, a record each
  Buffer wide;      // float32: rows of dets before they are rounded, or indices before they are widened
  Buffer patterns;  // two data blocks: which elements of a record are a row of dets, and which its index

  // item: bytes of an element of dets; index: bytes of an index.
  __aicore__ PickedBoxesBuffers(uint64_t item, uint64_t index)
      : dets{1, kPickedBatch * kDetElements * item},
        indices{1, kPickedBatch * index},
        records{1, kPickedBatch * kRecord * 4},
        wide{1, kPickedBatch * kDetElements * 4},
        patterns{1, 2 * 32} {}
};

}  // namespace avo
