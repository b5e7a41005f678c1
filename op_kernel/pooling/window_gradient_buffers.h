// SPDX-License-Identifier: Apache-2.0
// What the gradients of pooling put into the Unified Buffer. T is the type of the images, and `item` its
// bytes. Everything is computed in float32. A slot is one element of 16 planes.
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// What both gradients need (window_gradients.h).
struct WindowGradientBuffers {
  struct Sizes {
    uint64_t plane_elements;  // elements of a plane that are loaded at once
    uint64_t stored;          // elements of a plane that are stored at once, rows in whole groups of 16
    uint64_t own_slots;       // slots of what a tile owns
    uint64_t window_slots;    // slots of a chunk of windows, rows in whole groups of 16
  };
  static constexpr uint64_t kPlanes = 16;  // planes of a tile
  static constexpr uint64_t kSlack = 16;   // slots behind the last one that instructions read or write
  static constexpr uint64_t kSlotBytes = kPlanes * 4;

  Buffer in;     // queue of loaded planes, T
  Buffer out;    // queue of stored planes, T
  Buffer grads;  // slots: the gradients of a chunk of windows
  Buffer terms;  // slots: what one element of each of these windows receives
  Buffer sums;   // slots: the gradient of what the tile owns
  Buffer wide;   // loaded planes as float32; none where T is float32
  Buffer rows;   // stored planes as float32; none where T is float32

  __aicore__ inline WindowGradientBuffers(const Sizes &of, uint64_t item)
      : in{2, kPlanes * of.plane_elements * item},
        out{2, kPlanes * of.stored * item},
        grads{1, (of.window_slots + kSlack) * kSlotBytes},
        terms{1, (of.window_slots + kSlack) * kSlotBytes},
        sums{1, (of.own_slots + kSlack) * kSlotBytes},
        wide{item == 4 ? 0u : 1u, kPlanes * of.plane_elements * 4},
        rows{item == 4 ? 0u : 1u, kPlanes * of.stored * 4} {}
};

}  // namespace avo
