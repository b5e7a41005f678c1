// SPDX-License-Identifier: Apache-2.0
// Windows at the borders of an image: what they read, and how many of their elements count.
#pragma once

#include "kernel_operator.h"

namespace avo {

// What neighbouring windows read along one axis: padding, then inputs, then padding.
//
//   positions    . . a b c d .      span 7, before 2, count 4, After() 1
struct WindowInputs {
  int64_t begin;    // index of the first input
  int32_t count;    // inputs; 0 or less where the windows lie in the padding
  uint32_t before;  // positions of padding before the inputs
  uint32_t span;    // positions from the start of the first window to the end of the last one

  // Positions of padding behind the inputs.
  __aicore__ inline uint32_t After() const { return span - before - static_cast<uint32_t>(count); }
};

// start: position of the first window, below 0 in the padding; size: elements of the image along the axis.
__aicore__ inline WindowInputs InputsOf(int64_t start, int64_t span, int64_t size) {
  const int64_t begin = start < 0 ? 0 : start, end = start + span < size ? start + span : size;
  return {begin, static_cast<int32_t>(end - begin), static_cast<uint32_t>(begin - start),
          static_cast<uint32_t>(span)};
}

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
