// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

namespace avo {

// How much larger 1 / n is than 1 / kernel, where n elements of a window count along an axis: those inside
// the image, or with `include_pad` those inside the image or its padding.
//
// window: index along the axis; size: elements of the image along it; kernel, stride and pad: of the windows.
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
