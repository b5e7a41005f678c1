// SPDX-License-Identifier: Apache-2.0
// The shape of the operand of TopK.
#pragma once

#include "../../kernel_tiling/sim_vector_settings.h"

namespace AscendC {

constexpr TopKConfig defaultTopKConfig;

struct TopKInfo {
  int32_t outter = 1;  // rows
  int32_t inner;       // elements from row to row, a multiple of 32
  int32_t n;           // elements of a row
};

}  // namespace AscendC
