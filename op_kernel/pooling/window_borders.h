// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

namespace avo {

// What makes a share of `kernel` elements of a window one over those that count: inside the image, or inside
// its padding too.
__aicore__ inline float BorderFactor(int64_t window, int64_t size, int64_t kernel, int64_t stride,
                                     int64_t pad, bool include_pad) {
  const int64_t start = window * stride - pad, limit = size + (include_pad ? pad : 0);
  const int64_t begin = start < 0 && !include_pad ? 0 : start;
  const int64_t end = start + kernel < limit ? start + kernel : limit;
  return end - begin == kernel ? 1.0f
                               : static_cast<float>(static_cast<int32_t>(kernel)) /
                                     static_cast<float>(static_cast<int32_t>(end - begin));
}

}  // namespace avo
