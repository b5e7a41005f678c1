// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "window_gradient_buffers.h"
#include "window_gradient_tiling.h"

struct MaxPool2dBackwardTiling : avo::WindowGradientTiling {
  uint32_t tapRows;      // rows of a window that are loaded at once
  uint32_t tapColumns;   // columns of a window that are loaded at once
  uint32_t regionRows;   // rows of the image under a chunk of windows, in whole groups
  uint32_t regionPitch;  // slots from one of these rows to the next, of a plane
  uint32_t rowGroups;    // groups of these rows: strideRows, or 1 where a chunk has one row of windows
};

// What the kernel puts into the Unified Buffer.
struct MaxPool2dBackwardBuffers {
  using Windows = avo::WindowGradientBuffers;
  static constexpr uint64_t kRowBytes = 256 * 64 / 8;  // bits of the 64 lanes of 255 repeats and of one more

  Windows windows;
  avo::Buffer region;   // slots: the image under a chunk of windows
  avo::Buffer taps;     // slots: which tap of each window is its maximum
  avo::Buffer bits;     // a bit for each lane of a chunk of windows, or of a row of them
  avo::Buffer numbers;  // a bit for each lane of a row of windows: whether its element is a number, not NaN

  // region_slots: slots of the image under a chunk of windows; item: bytes of an element.
  __aicore__ inline MaxPool2dBackwardBuffers(const Windows::Sizes &of, uint64_t region_slots, uint64_t item)
      : windows(of, item),
        region{1, (region_slots + Windows::kSlack) * Windows::kSlotBytes},
        taps{1, (of.window_slots + Windows::kSlack) * Windows::kSlotBytes},
        bits{1, AtLeastARow((of.window_slots + Windows::kSlack) * Windows::kPlanes / 8)},
        numbers{1, kRowBytes} {}

  static __aicore__ inline uint64_t AtLeastARow(uint64_t bytes) {
    return bytes > kRowBytes ? bytes : kRowBytes;
  }
};
