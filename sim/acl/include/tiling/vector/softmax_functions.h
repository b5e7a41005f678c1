// SPDX-License-Identifier: Apache-2.0
// Host functions for the softmax family: how much work memory the functions take, and their tilings. The
// functions themselves compute row by row, and take of a tiling the shape alone.
#pragma once

#include "row_functions.h"

namespace sim {

// The tiling of rows of which each takes `row` bytes of work memory. A block of equal values has `block`
// lanes.
template <typename Tiling>
Tiling SoftMaxTilingOf(const Matrix &matrix, uint32_t block, uint32_t row, uint32_t work_bytes) {
  uint32_t at_once = std::min(work_bytes / row, matrix.rows);
  if (at_once < matrix.rows && at_once > 8) at_once = at_once / 8 * 8;
  Tiling t;
  t.srcM = t.outMaxM = matrix.rows;
  t.srcK = t.splitK = matrix.columns;
  t.srcSize = matrix.rows * matrix.columns;
  t.outMaxK = t.reduceK = block;
  t.outMaxSize = matrix.rows * block;
  t.splitM = t.reduceM = at_once;
  t.splitSize = at_once * matrix.columns;
  t.reduceSize = at_once * block;
  t.rangeM = at_once == 0 ? 0 : matrix.rows / at_once;
  t.tailM = at_once == 0 ? 0 : matrix.rows % at_once;
  t.tailSplitSize = t.tailM * matrix.columns;
  t.tailReduceSize = t.tailM * block;
  return t;
}

// Two values of a row, a block, and three rows as floats.
constexpr uint32_t FlashRowBytes(uint32_t columns) { return 2 * 288 + 32 + 3 * RoundUp(columns * 4, 32); }

}  // namespace sim

namespace AscendC {

// A row as floats, a block and a repeat, for one row at least and for all at most.
template <typename Shape>
uint32_t GetSoftMaxMinTmpSize(const Shape &srcShape, const uint32_t dataTypeSize, const bool) {
  return (32 / dataTypeSize + sim::Matrix(srcShape).columns + 64) * 4;
}
template <typename Shape>
uint32_t GetSoftMaxMaxTmpSize(const Shape &srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource) * sim::Matrix(srcShape).rows;
}
template <typename Shape, typename Tiling>
void SoftMaxTilingFunc(const Shape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                       Tiling &softmaxTiling) {
  const uint32_t row = GetSoftMaxMinTmpSize(srcShape, dataTypeSize, false);
  sim::Give(sim::SoftMaxTilingOf<tiling::SoftMaxTiling>(sim::Matrix(srcShape), 32 / dataTypeSize, row,
                                                        localWorkSpaceSize),
            softmaxTiling);
}
template <typename Tiling>
bool IsBasicBlockInSoftMax(Tiling &tiling, const uint32_t = 2) {
  const auto whole = [](uint32_t value, uint32_t unit) { return value > 0 && value % unit == 0; };
  const auto basic = [&](uint32_t m, uint32_t k, uint32_t split) {
    return whole(m, 8) && whole(k, 64) && k < 2048 && whole(split, 8);
  };
  if constexpr (std::is_same_v<Tiling, optiling::SoftMaxTiling>) {
    return basic(tiling.get_srcM(), tiling.get_srcK(), tiling.get_splitM());
  } else {
    return basic(tiling.srcM, tiling.srcK, tiling.splitM);
  }
}

template <typename Shape>
uint32_t GetLogSoftMaxMinTmpSize(const Shape &srcShape, const uint32_t dataTypeSize,
                                 const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
template <typename Shape>
uint32_t GetLogSoftMaxMaxTmpSize(const Shape &srcShape, const uint32_t dataTypeSize,
                                 const bool isReuseSource) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
template <typename Shape, typename Tiling>
void LogSoftMaxTilingFunc(const Shape &srcShape, const uint32_t dataTypeSize,
                          const uint32_t localWorkSpaceSize, Tiling &softmaxTiling) {
  const uint32_t row = GetSoftMaxMinTmpSize(srcShape, dataTypeSize, false);
  sim::Give(sim::SoftMaxTilingOf<tiling::LogSoftMaxTiling>(sim::Matrix(srcShape), 32 / dataTypeSize, row,
                                                           localWorkSpaceSize),
            softmaxTiling);
}

// SoftmaxFlash and SoftmaxGrad: one row at least, all at most.
#define SIM_SOFTMAX_SIZES(Name)                                                                              \
  template <typename Shape>                                                                                  \
  uint32_t GetSoftMax##Name##MinTmpSize(const Shape &srcShape, const uint32_t, const bool, const bool) {     \
    return sim::FlashRowBytes(sim::Matrix(srcShape).columns);                                                \
  }                                                                                                          \
  template <typename Shape>                                                                                  \
  uint32_t GetSoftMax##Name##MaxTmpSize(const Shape &srcShape, const uint32_t dataTypeSize, const bool flag, \
                                        const bool isReuseSource) {                                          \
    return sim::Matrix(srcShape).rows *                                                                      \
           GetSoftMax##Name##MinTmpSize(srcShape, dataTypeSize, flag, isReuseSource);                        \
  }                                                                                                          \
  template <typename Shape, typename Tiling>                                                                 \
  void SoftMax##Name##TilingFunc(const Shape &srcShape, const uint32_t dataTypeSize,                         \
                                 const uint32_t localWorkSpaceSize, Tiling &tiling,                          \
                                 const bool flag = false) {                                                  \
    const uint32_t row = GetSoftMax##Name##MinTmpSize(srcShape, dataTypeSize, flag, false);                  \
    sim::Give(sim::SoftMaxTilingOf<tiling::SoftMaxTiling>(sim::Matrix(srcShape), 32 / dataTypeSize, row,     \
                                                          localWorkSpaceSize),                               \
              tiling);                                                                                       \
  }
SIM_SOFTMAX_SIZES(Flash)
SIM_SOFTMAX_SIZES(Grad)
#undef SIM_SOFTMAX_SIZES

// dataTypeSize1 is that of the rows, dataTypeSize2 that of the maximum and the sum.
template <typename Shape>
uint32_t GetSoftMaxFlashV2MinTmpSize(const Shape &srcShape, const uint32_t, const uint32_t, const bool,
                                     const bool = false, const bool = false) {
  return sim::FlashRowBytes(sim::Matrix(srcShape).columns);
}
template <typename Shape>
uint32_t GetSoftMaxFlashV2MaxTmpSize(const Shape &srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const bool isUpdate,
                                     const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
  return sim::Matrix(srcShape).rows * GetSoftMaxFlashV2MinTmpSize(srcShape, dataTypeSize1, dataTypeSize2,
                                                                  isUpdate, isBasicBlock, isFlashOutputBrc);
}
template <typename Shape, typename Tiling>
void SoftMaxFlashV2TilingFunc(const Shape &srcShape, const uint32_t, const uint32_t dataTypeSize2,
                              const uint32_t localWorkSpaceSize, Tiling &softmaxFlashTiling, const bool,
                              const bool = false, const bool = false) {
  const sim::Matrix matrix(srcShape);
  sim::Give(sim::SoftMaxTilingOf<tiling::SoftMaxTiling>(
                matrix, 32 / dataTypeSize2, sim::FlashRowBytes(matrix.columns), localWorkSpaceSize),
            softmaxFlashTiling);
}
template <typename Shape>
void GetSoftMaxFlashV3MaxMinTmpSize(const Shape &srcShape, const uint32_t, const uint32_t, uint32_t &maxValue,
                                    uint32_t &minValue, const bool, const bool = false) {
  const sim::Matrix matrix(srcShape);
  minValue = sim::FlashRowBytes(matrix.columns);
  maxValue = matrix.rows * minValue;
}
template <typename Shape, typename Tiling>
void SoftMaxFlashV3TilingFunc(const Shape &srcShape, const uint32_t dataTypeSize1,
                              const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                              Tiling &softmaxFlashV3Tiling, const bool isUpdate,
                              const bool isBasicBlock = false) {
  SoftMaxFlashV2TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize, softmaxFlashV3Tiling,
                           isUpdate, isBasicBlock);
}

}  // namespace AscendC
