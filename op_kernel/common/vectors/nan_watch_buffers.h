// SPDX-License-Identifier: Apache-2.0
// What NanWatch (nan_watch.h) puts into the Unified Buffer.
#pragma once

#include "../memory/buffers.h"

namespace avo {

struct NanWatchBuffers {
  static constexpr uint64_t kSeenBytes = 1024;

  Buffer seen;  // keys: the largest of some lanes of all tiles
  Buffer bits;  // a bit for each of them

  // keys: whether there is something to watch, 1 or 0.
  explicit __aicore__ NanWatchBuffers(uint32_t keys) : seen{keys, kSeenBytes}, bits{keys, kSeenBytes / 16} {}
};

}  // namespace avo
