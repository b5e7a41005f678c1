// SPDX-License-Identifier: Apache-2.0
// What the search for maxima of windows puts into the Unified Buffer (window_maxima.h).
#pragma once

#include "plane_slots_buffers.h"

namespace avo {

struct WindowMaximaBuffers {
  static constexpr uint64_t kSlack = 16;  // slots behind the last one that instructions read or write
  static constexpr uint64_t kRowBytes = 256 * 64 / 8;  // bits of the 64 lanes of 255 repeats and of one more

  Buffer region;   // slots: the image under a chunk of windows
  Buffer taps;     // slots, int32: which tap of each window is its maximum
  Buffer bits;     // a bit for each lane of a chunk of windows, or of a row of them
  Buffer numbers;  // a bit for each lane of a row of windows: whether its element is a number, not NaN

  // region_slots: slots of the image under a chunk of windows; window_slots: slots of a chunk.
  __aicore__ inline WindowMaximaBuffers(uint64_t region_slots, uint64_t window_slots)
      : region{1, (region_slots + kSlack) * PlaneSlotsBuffers::kSlotBytes},
        taps{1, (window_slots + kSlack) * PlaneSlotsBuffers::kSlotBytes},
        bits{1, AtLeastARow((window_slots + kSlack) * PlaneSlotsBuffers::kPlanes / 8)},
        numbers{1, kRowBytes} {}

  static __aicore__ inline uint64_t AtLeastARow(uint64_t bytes) {
    return bytes > kRowBytes ? bytes : kRowBytes;
  }
};

}  // namespace avo
