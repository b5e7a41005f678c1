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

// What SoftmaxFlashV3 takes.
struct SoftMaxParams {
  uint32_t srcM{0};
  uint32_t srcK{0};
  uint32_t oriSrcM{0};
  uint32_t oriSrcK{0};
  uint32_t loopCnt{1};       // the number of the call for these rows
  uint32_t splitMeanCnt{8};  // parts of a row that have means of their own
  float alpha{0.9375};       // how far the means are taken away
};

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
  constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn = 0,
                          const uint32_t oriSrcKIn = 0,
                          const SoftmaxMode modeIn = SoftmaxMode::SOFTMAX_NORMAL)
      : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}

  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

}  // namespace AscendC
