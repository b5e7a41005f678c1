// SPDX-License-Identifier: Apache-2.0
// What one core did, in program order. The cost model replays it.
#pragma once

#include <cstdint>
#include <vector>

#include "call_path.h"
#include "clock.h"

namespace sim {

// An API call in a source file, as reports and traces name it.
struct Site {
  const char *name = "";  // of the API function
  const char *file = nullptr;
  int line = 0;
  const CallPath *path = nullptr;  // how the kernel came there; null where that is not known
};

struct Event {
  enum Kind : uint8_t {
    kWork,        // occupies `pipe` for `cycles`
    kCopy,        // moves rows between GM and on-chip memory on `pipe`
    kSet,         // after all earlier work of `pipe`, `token` is there
    kWait,        // `pipe` goes on when `token` is there
    kBarrier,     // `pipe` waits for its own earlier work
    kDrain,       // S waits for all earlier work of `pipe` (auto-sync before a scalar access)
    kBarrierAll,  // S waits for all earlier work of all pipes
    kMeet,        // S waits until all cores of meeting `token` are there
    kPost,        // after all earlier work of `pipe`, the cross-core `token` is there
    kTake,        // S waits for the cross-core `token`
  };
  Kind kind = kWork;
  Pipe pipe = Pipe::S;
  bool write = false;     // kCopy: towards GM
  bool bypass = false;    // kCopy: does not allocate in the L2
  bool converts = false;  // kCopy: Instruction::converts
  uint32_t site = 0;
  uint32_t token = 0;
  float scalar = 0;      // cycles of the scalar unit since the previous event
  float scalar_off = 0;  // by how many they may be more or less (constant.h), the start of the core aside
  float cycles = 0;
  float cycles_off = 0;
  float latency = 0;       // kWork: cycles after them until the result is there
  float conflict = 0;      // kWork on V: cycles of these in which it waits for banks of UB
  uint64_t address = 0;    // kCopy: GM rows
  uint32_t row_bytes = 0;  // kWork: the bytes of all operands, as one row
  uint32_t rows = 0;
  int64_t row_stride = 0;
};

}  // namespace sim
