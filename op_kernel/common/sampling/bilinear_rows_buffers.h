// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What BilinearRows (bilinear_rows.h) puts into the Unified Buffer for Locate alone.
struct BilinearPositionsBuffers {
  Buffer windows;  // int32: first pixel of the window of each position
  Buffer weights;  // float32: 4 planes, a weight of each corner
  Buffer scratch;  // float32: 4 planes
  Buffer masks;    // two masks, a bit for each position

  // located: most positions of a Locate, a multiple of 64.
  explicit __aicore__ BilinearPositionsBuffers(uint64_t located)
      : windows{1, located * 4},
        weights{1, 4 * located * 4},
        scratch{1, 4 * located * 4},
        masks{1, 2 * MaskBytes(located)} {}

  // Bytes of a mask of a bit for each position, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t located) { return (located / 8 + 31) / 32 * 32; }
};

// What BilinearRows puts into the Unified Buffer for Locate and CopyIn.
struct BilinearRowsBuffers {
  BilinearPositionsBuffers positions;
  Buffer rows;    // queue of the corners of a batch of samples, as they are loaded
  Buffer spread;  // float32: weights of these corners, each repeated over a data block
  Buffer wide;    // float32: the corners, where elements have 2 bytes

  // located: most positions of a Locate, a multiple of 64; batch: most samples of a CopyIn, a multiple of 8;
  // chunk: most channels of a CopyIn, a multiple of 16; item: bytes of an element.
  __aicore__ BilinearRowsBuffers(uint64_t located, uint64_t batch, uint64_t chunk, uint64_t item)
      : positions(located),
        rows{2, 4 * batch * chunk * item},
        spread{1, 4 * batch * 32},
        wide{item == 4 ? 0u : 1u, 4 * batch * chunk * 4} {}
};

}  // namespace avo
