// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "window_gradient_tiling.h"

struct AvgPool2dBackwardTiling : avo::WindowGradientTiling {
  uint32_t borders;     // 1: a window at the border divides by fewer elements than kernel_size has
  uint32_t includePad;  // 1: elements of the padding count
  float scale;          // 1 / number of elements of a window, or 1 / divisor_override
};
