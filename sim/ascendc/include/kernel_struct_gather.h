// SPDX-License-Identifier: Apache-2.0
// Parameters of gathers and block broadcasts, strides in 32 B data blocks.
#pragma once

#include "kernel_constants.h"

namespace AscendC {

struct GatherRepeatParams {
  GatherRepeatParams() {}
  GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
};

struct BrcbRepeatParams {
  BrcbRepeatParams() {}
  BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
};

struct GatherMaskParams {
  GatherMaskParams() {}
  GatherMaskParams(uint8_t src0_block, uint16_t repeat, uint16_t src0_repeat, uint8_t src1_repeat)
      : src0BlockStride(src0_block),
        repeatTimes(repeat),
        src0RepeatStride(src0_repeat),
        src1RepeatStride(src1_repeat) {}

  uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

}  // namespace AscendC
