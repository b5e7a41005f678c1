// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"
#include "box_planes.h"

namespace avo {

constexpr uint32_t kRecord = 8;        // elements of a record, a data block: kFields of them hold something
constexpr uint32_t kEntryGroup = 64;   // entries of a repeat: vector instructions start at multiples of them
constexpr uint32_t kFixedRecords = 4;  // records of constants and results in BoxTable, before its patterns

// What BoxTable puts into UB.
struct BoxTableBuffers {
  Buffer planes;  // float32: kTablePlanes planes
  Buffer mask;    // a bit for each entry
  Buffer small;   // records: constants, the result of a maximum, and a pattern for each element of a record

  // entries: a multiple of 64.
  __aicore__ explicit BoxTableBuffers(uint64_t entries)
      : planes{1, kTablePlanes * entries * 4},
        mask{1, (entries / 8 + 31) / 32 * 32},
        small{1, (kFixedRecords + kRecord) * kRecord * 4} {}
};

}  // namespace avo
