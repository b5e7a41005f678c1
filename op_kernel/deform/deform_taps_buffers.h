// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// What DeformTaps (deform_taps.h) puts into the Unified Buffer.
struct DeformTapsBuffers {
  Buffer offsets;  // queue of row offsets, column offsets and mask, as they are loaded
  Buffer starts;   // float32: 3 planes of half a band, rows and columns where windows start, and scratch
  Buffer table;    // float32: 6 planes of samples, see DeformTaps::Locate
  Buffer masks;    // two masks, a bit for each sample

  // band: positions of a band, of which each vector core takes half; located: most samples of a Locate, a
  // multiple of 64; item: bytes of an element.
  __aicore__ DeformTapsBuffers(uint64_t band, uint64_t located, uint64_t item)
      : offsets{1, 3 * located * item},
        starts{1, 3 * (band / 2) * 4},
        table{1, 6 * located * 4},
        masks{1, 2 * MaskBytes(located)} {}

  // Bytes of a mask of a bit for each sample, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t located) { return (located / 8 + 31) / 32 * 32; }
};

// What WriteOnes (deform_taps.h) puts into the Unified Buffer until it returns.
struct WriteOnesBuffers {
  Buffer values;  // float32
  Buffer ones;    // queue of the ones, as they are stored

  // count: how many ones; item: bytes of an element.
  __aicore__ WriteOnesBuffers(uint64_t count, uint64_t item) : values{1, count * 4}, ones{1, count * item} {}
};

}  // namespace avo
