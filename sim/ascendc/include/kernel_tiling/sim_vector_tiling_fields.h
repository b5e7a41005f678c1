// SPDX-License-Identifier: Apache-2.0
// The fields of tiling structs of vector functions, in their order. Each is a uint32_t. The struct of the
// kernel and the class that host code fills in consist of them.
#pragma once

#define SIM_UNPAD_TILING_FIELDS(FIELD)                                                      \
  FIELD(srcHeight)                                                                          \
  FIELD(srcWidth) FIELD(tmpBuffer1BlockNum) FIELD(tmpBuffer1RowNum) FIELD(tmpBuffer2Offset) \
      FIELD(widthTiling) FIELD(widthFractal) FIELD(widthFractalTail)

#define SIM_SOFTMAX_TILING_FIELDS(FIELD)                                                                 \
  FIELD(srcM)                                                                                            \
  FIELD(srcK) FIELD(srcSize) FIELD(outMaxM) FIELD(outMaxK) FIELD(outMaxSize) FIELD(splitM) FIELD(splitK) \
      FIELD(splitSize) FIELD(reduceM) FIELD(reduceK) FIELD(reduceSize) FIELD(rangeM) FIELD(tailM)        \
          FIELD(tailSplitSize) FIELD(tailReduceSize)

// A float, reciprocalOfHLength, stands between the two.
#define SIM_RMSNORM_SHAPE_FIELDS(FIELD) FIELD(bLength) FIELD(sLength) FIELD(hLength) FIELD(originalHLength)
#define SIM_RMSNORM_LOOP_FIELDS(FIELD)                                                                   \
  FIELD(mainBshLength)                                                                                   \
  FIELD(mainBsLength) FIELD(mainBsLengthAlign) FIELD(loopRound) FIELD(inputTailPos) FIELD(tailBshLength) \
      FIELD(tailBsLength)
