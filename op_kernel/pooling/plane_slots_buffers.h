// SPDX-License-Identifier: Apache-2.0
// What rectangles of planes take of the Unified Buffer on their way to slots and back (plane_slots.h).
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

struct PlaneSlotsBuffers {
  static constexpr uint64_t kPlanes = 16;              // that are loaded at once
  static constexpr uint64_t kSlotBytes = kPlanes * 4;  // of one element of them

  Buffer in;    // queue of loaded planes, as they lie in global memory
  Buffer out;   // queue of stored planes, as they lie in global memory
  Buffer wide;  // loaded planes in 32 bits; none where all elements have these
  Buffer rows;  // stored planes in 32 bits; none where all elements have these

  // Types of elements, by their bytes. Each of them is an image's, or an index's: 0 where there are none.
  struct Items {
    uint64_t image, index;

    __aicore__ inline uint64_t Longest() const { return image > index ? image : index; }
    // Whether one of them has not 32 bits.
    __aicore__ inline bool Converts() const { return image != 4 || index == 8; }
  };

  // loaded, stored: elements of a plane that are loaded and stored at once; of_in, of_out: their types.
  __aicore__ inline PlaneSlotsBuffers(uint64_t loaded, uint64_t stored, const Items &of_in,
                                      const Items &of_out)
      : in{2, kPlanes * loaded * of_in.Longest()},
        out{2, kPlanes * stored * of_out.Longest()},
        wide{of_in.Converts() ? 1u : 0u, kPlanes * loaded * 4},
        rows{of_out.Converts() ? 1u : 0u, kPlanes * stored * 4} {}
};

}  // namespace avo
