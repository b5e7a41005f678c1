// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "window_gradient_buffers.h"
#include "window_gradient_tiling.h"

using MaxPool2dWithIndicesBackwardTiling = avo::WindowGradientTiling;

// What the kernel puts into the Unified Buffer.
struct MaxPool2dWithIndicesBackwardBuffers {
  using Windows = avo::WindowGradientBuffers;

  Windows windows;
  avo::Buffer taps;    // slots, int32: the place of the maximum of each window in its window
  avo::Buffer across;  // slots, int32: where the windows of a row begin, counted from the first one
  avo::Buffer bits;    // a bit for each lane of a chunk of windows

  // item, index_item: bytes of an element and of an index.
  __aicore__ inline MaxPool2dWithIndicesBackwardBuffers(const Windows::Sizes &of, uint64_t chunk_pitch,
                                                        uint64_t item, uint64_t index_item)
      : windows(of, item, index_item),
        taps{1, of.window_slots * Windows::kSlotBytes},
        across{1, chunk_pitch * Windows::kSlotBytes},
        bits{1, of.window_slots * Windows::kPlanes / 8} {}
};
