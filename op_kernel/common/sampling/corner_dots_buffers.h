// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What CornerDots (corner_dots.h) puts into the Unified Buffer.
struct CornerDotsBuffers {
  static constexpr uint64_t kCorners = 4, kRepeat = 64;  // kRepeat: float32 elements of a repeat

  Buffer products;  // float32: a repeat of products for each corner of each sample
  Buffer dots;      // float32: sums of these products, 4 planes, then those of one chunk of channels

  // located: most samples; sampled: most samples at once.
  __aicore__ CornerDotsBuffers(uint64_t located, uint64_t sampled)
      : products{1, kCorners * sampled * kRepeat * 4}, dots{1, kCorners * (located + sampled) * 4} {}
};

}  // namespace avo
