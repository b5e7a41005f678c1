// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/sampling/bilinear_rows_buffers.h"
#include "deform_taps_buffers.h"

namespace avo {

constexpr uint32_t kSliceChannels = 8;  // channels of a slice: a data block of float32

// What DeformScatter (deform_scatter.h) puts into the Unified Buffer until the slices of a step are done.
struct DeformScatterBuffers {
  static constexpr uint64_t kCorners = 4;
  static constexpr uint64_t kRun = 256;       // pixels of a slice that are stored at a time
  static constexpr uint64_t kMargin = 2;      // pixels after them that a transposition also reads
  static constexpr uint64_t kLaneCount = 16;  // channels of a transposition

  DeformTapsBuffers taps;
  BilinearRowsBuffers corners;
  Buffer sample_grads;    // queue, float32: gradients of samples
  Buffer corner_grads;    // queue, float32: what each sample adds to its four corners
  Buffer spread;          // float32: weights of a corner, each repeated over a data block
  Buffer pixels;          // queue, float32: a run of pixels of a slice
  Buffer planes;          // queue of this run as it is stored: a row of pixels for each channel
  Buffer float32_planes;  // float32: the same before it is rounded

  // band: positions of a band; located: most samples of a Locate; item: bytes of an element.
  __aicore__ DeformScatterBuffers(uint64_t band, uint64_t located, uint64_t item)
      : taps(band, located, item),
        corners(located, kSliceChannels, kLaneCount, item),
        sample_grads{2, band / 2 * kSliceChannels * 4},
        corner_grads{2, kCorners * (band / 2) * kSliceChannels * 4},
        spread{1, band / 2 * kSliceChannels * 4},
        pixels{1, (kRun + kMargin) * kSliceChannels * 4},
        planes{1, kLaneCount * kRun * item},
        float32_planes{1, kLaneCount * kRun * 4} {}
};

}  // namespace avo
