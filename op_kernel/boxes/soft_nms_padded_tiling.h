// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "box_table_buffers.h"
#include "pick_pool_buffers.h"
#include "picked_boxes_buffers.h"
#include "shared_table_buffers.h"

// A table has an entry for each box; a chunk of entries is in UB at a time.
struct SoftNmsPaddedTiling {
  uint32_t boxes;      // N
  uint32_t chunk;      // entries of a chunk, a multiple of 64
  uint32_t chunks;     // number of chunks; one where the table is in UB of one core
  uint32_t method;     // 0 naive, 1 linear, 2 gaussian
  float offset;        // added to widths and heights
  float iouThreshold;  // methods 0 and 1: an overlap below it decays nothing
  float sigma;         // of method 2
  float minScore;      // boxes of a lower score are dropped
};

// What the kernel puts into UB.
struct SoftNmsPaddedBuffers {
  avo::BoxTableBuffers table;
  avo::PickedBoxesBuffers picked;
  avo::SharedTableBuffers shared;
  avo::PickPoolBuffers pool;
  avo::Buffer in;       // queue of boxes, then their scores, in their own dtype
  avo::Buffer wide;     // float32: these boxes; none for float32
  avo::Buffer records;  // float32: two boxes, each spread over eight data blocks, and a record

  static constexpr uint32_t kLoad = 256;                            // boxes that are loaded at a time
  static constexpr uint32_t kSpread = avo::kRecord * avo::kRecord;  // elements of a box that is spread

  // entries: of a chunk; item: bytes of a score; index: bytes of an index; streamed: several chunks; pooled:
  // picks are taken from pools.
  __aicore__ SoftNmsPaddedBuffers(uint64_t entries, uint64_t item, uint64_t index, bool streamed, bool pooled)
      : table(entries),
        picked(item, index),
        shared(streamed),
        pool(entries, pooled),
        in{1, kLoad * 5 * item},
        wide{item == 4 ? 0U : 1U, kLoad * 4 * 4},
        records{1, (2 * kSpread + avo::kRecord) * 4} {}
};
