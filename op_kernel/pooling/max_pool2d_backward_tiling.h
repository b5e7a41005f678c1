// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "window_gradient_buffers.h"
#include "window_gradient_tiling.h"
#include "window_maxima_buffers.h"

struct MaxPool2dBackwardTiling : avo::WindowGradientTiling {
  uint32_t tapRows;      // rows of a window that are loaded at once
  uint32_t tapColumns;   // columns of a window that are loaded at once
  uint32_t regionRows;   // rows of the image under a chunk of windows, in whole groups
  uint32_t regionPitch;  // slots from one of these rows to the next, of a plane
  uint32_t rowGroups;    // groups of these rows: strideRows, or 1 where a chunk has one row of windows
};

// What the kernel puts into the Unified Buffer.
struct MaxPool2dBackwardBuffers {
  avo::WindowGradientBuffers windows;
  avo::WindowMaximaBuffers maxima;

  // region_slots: slots of the image under a chunk of windows; item: bytes of an element.
  __aicore__ inline MaxPool2dBackwardBuffers(const avo::WindowGradientBuffers::Sizes &of,
                                             uint64_t region_slots, uint64_t item)
      : windows(of, item), maxima(region_slots, of.window_slots) {}
};
