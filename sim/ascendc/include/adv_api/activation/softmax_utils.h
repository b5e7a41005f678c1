// SPDX-License-Identifier: Apache-2.0
// What the functions of the softmax family share.
#pragma once

#include <cstdint>

namespace AscendC {

struct SoftMaxShapeInfo {
  uint32_t srcM{0};     // rows
  uint32_t srcK{0};     // elements from row to row, of which the bytes are a multiple of 32
  uint32_t oriSrcM{0};  // rows without padding
  uint32_t oriSrcK{0};  // elements of a row without padding
};

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

}  // namespace AscendC
