// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct CountOutsideTiling {
  int64_t indices;      // K
  uint32_t tileLength;  // of them in UB at once, a multiple of 64
  float size;           // of what they index
};
