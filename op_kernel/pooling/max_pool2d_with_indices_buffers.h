// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "window_maxima_buffers.h"

// What the kernel puts into the Unified Buffer. T is the type of the images, and I that of the indices.
struct MaxPool2dWithIndicesBuffers {
  struct Sizes {
    uint64_t plane_elements;  // elements of a plane that are loaded at once
    uint64_t stored;          // elements of a plane that are stored at once, rows in whole groups of 16
    uint64_t region_slots;    // slots of the image under a tile
    uint64_t window_slots;    // slots of the windows of a tile
    uint64_t chunk_pitch;     // slots of a row of them
  };
  static constexpr uint64_t kSlotBytes = avo::PlaneSlotsBuffers::kSlotBytes;

  avo::PlaneSlotsBuffers planes;
  avo::Buffer best;    // slots: the maxima
  avo::Buffer across;  // slots, int32: where the windows of a row begin, counted from the first one
  avo::WindowMaximaBuffers maxima;

  // item, index_item: bytes of T and I.
  __aicore__ inline MaxPool2dWithIndicesBuffers(const Sizes &of, uint64_t item, uint64_t index_item)
      : planes(of.plane_elements, of.stored, {item, 0}, {item, index_item}),
        best{1, (of.window_slots + avo::WindowMaximaBuffers::kSlack) * kSlotBytes},
        across{1, of.chunk_pitch * kSlotBytes},
        maxima(of.region_slots, of.window_slots) {}
};
