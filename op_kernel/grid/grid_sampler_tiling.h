// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "grid_buffers.h"
#include "grid_tiling.h"

struct GridSamplerTiling : avo::GridTiling {
  int64_t channelGroups;  // groups of channels
  int64_t groupChannels;  // channels of a group
};

// What the kernel puts into the Unified Buffer.
struct GridSamplerBuffers {
  avo::GridBoxesBuffers boxes;
  avo::Buffer out;      // queue, a result for each sample
  avo::Buffer weights;  // float32, [taps * taps][capacity]

  // taps: neighbours along an axis; capacity: samples of a tile; box: elements of a box; item: bytes of one.
  __aicore__ GridSamplerBuffers(uint64_t taps, uint64_t capacity, uint64_t box, uint64_t item)
      : boxes(taps, capacity, box, item, false),
        out{2, capacity * item},
        weights{1, taps * taps * capacity * 4} {}
};
