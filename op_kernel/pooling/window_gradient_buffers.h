// SPDX-License-Identifier: Apache-2.0
// What the gradients of pooling put into the Unified Buffer. Everything is computed in float32. A slot is one
// element of 16 planes.
#pragma once

#include "plane_slots_buffers.h"

namespace avo {

// What all gradients need (window_gradients.h).
struct WindowGradientBuffers {
  struct Sizes {
    uint64_t plane_elements;  // elements of a plane that are loaded at once
    uint64_t stored;          // elements of a plane that are stored at once, rows in whole groups of 16
    uint64_t own_slots;       // slots of what a tile owns
    uint64_t window_slots;    // slots of a chunk of windows, rows in whole groups of 16
  };
  static constexpr uint64_t kPlanes = PlaneSlotsBuffers::kPlanes, kSlotBytes = PlaneSlotsBuffers::kSlotBytes;
  static constexpr uint64_t kSlack = 16;  // slots behind the last one that instructions read or write

  PlaneSlotsBuffers planes;
  Buffer grads;  // slots: the gradients of a chunk of windows
  Buffer terms;  // slots: what one element of each of these windows receives
  Buffer sums;   // slots: the gradient of what the tile owns

  // item: bytes of an element of the images; index_item: of an index, 0 where none are loaded.
  __aicore__ inline WindowGradientBuffers(const Sizes &of, uint64_t item, uint64_t index_item = 0)
      : planes(of.plane_elements, of.stored, {item, index_item}, {item, 0}),
        grads{1, (of.window_slots + kSlack) * kSlotBytes},
        terms{1, (of.window_slots + kSlack) * kSlotBytes},
        sums{1, (of.own_slots + kSlack) * kSlotBytes} {}
};

}  // namespace avo
