// SPDX-License-Identifier: Apache-2.0
// Settings of LayerNorm and WelfordUpdate.
#pragma once

#include <cstdint>

namespace AscendC {

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};

struct LayerNormPara {
  uint32_t aLength;             // rows
  uint32_t rLength;             // elements of a row
  uint32_t rLengthWithPadding;  // elements from row to row, of which the bytes are a multiple of 32
};

struct WelfordUpdateConfig {
  constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}

  bool isInplace = false;  // whether the lanes behind the computed ones are those of the sources
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordUpdateParam {
  uint32_t rnLength;         // 1
  uint32_t abLength;         // lanes
  uint32_t abComputeLength;  // lanes that are computed
  float nRec;                // 1 / number of the call
};

}  // namespace AscendC
