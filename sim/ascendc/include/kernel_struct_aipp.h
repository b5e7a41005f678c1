// SPDX-License-Identifier: Apache-2.0
// What the unit that prepares images (AIPP) does with a picture on its way from GM to L1.
#pragma once

#include <cstdint>

#include "sim/float16_types.h"

namespace AscendC {

enum class AippInputFormat : uint8_t { YUV420SP_U8 = 0, XRGB8888_U8 = 1, RGB888_U8 = 4, YUV400_U8 = 9 };

// Around the picture. 0: a constant, left and right alone; 1: the nearest pixel; 2: the picture again; 3: its
// mirror image.
template <typename T>
struct AippPaddingParams {
  uint32_t paddingMode = 0;
  T paddingValueCh0{};
  T paddingValueCh1{};
  T paddingValueCh2{};
  T paddingValueCh3{};
};

struct AippSwapParams {
  bool isSwapRB = false;
  bool isSwapUV = false;
  bool isSwapAX = false;  // XRGB becomes RGBX, whose last channel is dropped
};

struct AippSingleLineParams {
  bool isSingleLineCopy = false;
};

// int8_t: x - mean; half: (x - mean - min) * var.
struct AippDataTypeConvParams {
  uint8_t dtcMeanCh0 = 0;
  uint8_t dtcMeanCh1 = 0;
  uint8_t dtcMeanCh2 = 0;
  half dtcMinCh0 = half(0.0F);
  half dtcMinCh1 = half(0.0F);
  half dtcMinCh2 = half(0.0F);
  half dtcVarCh0 = half(1.0F);
  half dtcVarCh1 = half(1.0F);
  half dtcVarCh2 = half(1.0F);
  uint32_t dtcRoundMode = 0;  // of another device
};

// 0: pixels of 32 bytes, 1: of four channels.
template <typename T>
struct AippChannelPaddingParams {
  uint32_t cPaddingMode = 0;
  T cPaddingValue{};
};

struct AippColorSpaceConvParams {
  bool isEnableCsc = false;
  int16_t cscMatrixR0C0 = 0;
  int16_t cscMatrixR0C1 = 0;
  int16_t cscMatrixR0C2 = 0;
  int16_t cscMatrixR1C0 = 0;
  int16_t cscMatrixR1C1 = 0;
  int16_t cscMatrixR1C2 = 0;
  int16_t cscMatrixR2C0 = 0;
  int16_t cscMatrixR2C1 = 0;
  int16_t cscMatrixR2C2 = 0;
  uint8_t cscBiasIn0 = 0;
  uint8_t cscBiasIn1 = 0;
  uint8_t cscBiasIn2 = 0;
  uint8_t cscBiasOut0 = 0;
  uint8_t cscBiasOut1 = 0;
  uint8_t cscBiasOut2 = 0;
};

template <typename T>
struct AippParams {
  AippPaddingParams<T> paddingParams;
  AippSwapParams swapParams;
  AippSingleLineParams singleLineParams;
  AippDataTypeConvParams dtcParams;
  AippChannelPaddingParams<T> cPaddingParams;
  AippColorSpaceConvParams cscParams;
};

// The part of the picture that is loaded, in pixels, and the padding around it.
struct LoadImageToLocalParams {
  LoadImageToLocalParams() = default;
  LoadImageToLocalParams(uint16_t width, uint16_t height, uint16_t left, uint16_t top, uint16_t source_width,
                         uint8_t top_pad, uint8_t bottom_pad, uint16_t left_pad, uint16_t right_pad)
      : horizSize(width),
        vertSize(height),
        horizStartPos(left),
        vertStartPos(top),
        srcHorizSize(source_width),
        topPadSize(top_pad),
        botPadSize(bottom_pad),
        leftPadSize(left_pad),
        rightPadSize(right_pad) {}

  uint16_t horizSize = 0;
  uint16_t vertSize = 0;
  uint16_t horizStartPos = 0;
  uint16_t vertStartPos = 0;
  uint16_t srcHorizSize = 0;
  uint8_t topPadSize = 0;
  uint8_t botPadSize = 0;
  uint16_t leftPadSize = 0;
  uint16_t rightPadSize = 0;
  uint8_t sid = 0;
};

}  // namespace AscendC
