// SPDX-License-Identifier: Apache-2.0
// Host functions for vector functions on the rows of a matrix: how much work memory they take, and their
// tilings. The functions themselves compute row by row, and take of a tiling the shape alone. A shape is any
// class with GetDimNum(), GetDim(i) and GetShapeSize().
#pragma once

#include <algorithm>

#include "graph/tensor.h"
#include "kernel_tiling/sim_vector_settings.h"
#include "tiling_data.h"

namespace sim {

constexpr uint32_t RoundUp(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

struct Matrix {
  template <typename Shape>
  explicit Matrix(const Shape &shape)
      : columns(static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1))),
        rows(static_cast<uint32_t>(shape.GetShapeSize()) / std::max(columns, 1U)) {}

  uint32_t columns;
  uint32_t rows;
};

// The greatest power of two below `value`, and 1 for 1.
constexpr uint32_t HalfOf(uint32_t value) {
  uint32_t half = 1;
  while (half * 2 < value) half *= 2;
  return half;
}

}  // namespace sim

namespace AscendC {

// A sum for each repeat of a row.
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t &maxSize,
                                uint32_t &minSize) {
  const uint32_t repeats = sim::RoundUp(n * typeSize, 256) / 256;
  maxSize = minSize = sim::RoundUp(repeats * typeSize, 32);
}
// A byte for each repeat of a row, and the row as floats where half is summed in float.
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                                 const bool, uint32_t &maxSize, uint32_t &minSize) {
  const uint32_t repeats = sim::RoundUp(n * accTypeSize, 256) / 256;
  const uint32_t row = srcTypeSize == accTypeSize ? 0 : sim::RoundUp(n * srcTypeSize, 32) / srcTypeSize * 4;
  maxSize = minSize = sim::RoundUp(repeats, 32) + row;
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) {
  maxLiveNodeCount = 1;
  extraBuffer = 0;
}

#define SIM_SUM_SIZES(Name)                                                                               \
  template <typename Shape, typename DataType>                                                            \
  void GetReduce##Name##MaxMinTmpSize(const Shape &srcShape, const DataType, ReducePattern pattern, bool, \
                                      bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {       \
    const sim::Matrix matrix(srcShape);                                                                   \
    const uint32_t rows = pattern == ReducePattern::AR ? matrix.rows : sim::HalfOf(matrix.rows);          \
    const uint32_t columns =                                                                              \
        pattern == ReducePattern::AR ? sim::HalfOf(matrix.columns) : sim::RoundUp(matrix.columns, 8);     \
    const bool none = isReuseSource || (pattern == ReducePattern::AR && matrix.columns <= 64);            \
    maxValue = minValue = none ? 0 : rows * columns * 4;                                                  \
  }
SIM_SUM_SIZES(Sum)
SIM_SUM_SIZES(Mean)
#undef SIM_SUM_SIZES

#define SIM_EXTREME_SIZES(Name)                                                                              \
  template <typename Shape, typename DataType>                                                               \
  void GetReduce##Name##MaxMinTmpSize(const Shape &srcShape, const DataType dataType, ReducePattern pattern, \
                                      bool, bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {    \
    const sim::Matrix matrix(srcShape);                                                                      \
    const uint32_t type_bytes = static_cast<int>(dataType) == 0 ? 4 : 2;                                     \
    const uint32_t bytes = matrix.columns * type_bytes;                                                      \
    if (isReuseSource) {                                                                                     \
      maxValue = 0;                                                                                          \
    } else if (pattern == ReducePattern::RA) {                                                               \
      maxValue = sim::HalfOf(matrix.rows) * sim::RoundUp(bytes, 32);                                         \
    } else {                                                                                                 \
      maxValue = bytes <= 32 ? 0 : matrix.rows * (bytes < 256 ? 32 : 256);                                   \
    }                                                                                                        \
    minValue = maxValue;                                                                                     \
  }
SIM_EXTREME_SIZES(Max)
SIM_EXTREME_SIZES(Min)
#undef SIM_EXTREME_SIZES

// On Atlas A2 UnPad takes no work memory.
template <typename Platform, typename Shape>
void GetUnPadMaxMinTmpSize(const Platform &, const Shape &, const uint32_t, uint32_t &maxValue,
                           uint32_t &minValue) {
  maxValue = minValue = 0;
}
template <typename Shape, typename Tiling>
void UnPadTilingFunc(const Shape &srcShape, const uint32_t, const uint32_t, Tiling &tiling) {
  const sim::Matrix matrix(srcShape);
  tiling::UnPadTiling filled;
  filled.srcHeight = matrix.rows;
  filled.srcWidth = matrix.columns;
  sim::Give(filled, tiling);
}

// A row of squares and its sum; for half the row as floats too.
template <typename Shape>
bool GetRmsNormMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue,
                             uint32_t &minValue, const bool = false) {
  const sim::Matrix matrix(srcShape);
  const uint32_t copies = typeSize == 2 ? 2 : 1;
  minValue = (copies * matrix.columns + 8) * 4;
  maxValue =
      (copies * matrix.rows * matrix.columns + sim::RoundUp(matrix.rows * typeSize, 32) / typeSize) * 4;
  return true;
}
// The shape is [b, s, h]. False where the work memory is less than what one row takes.
template <typename Shape, typename Tiling>
bool GetRmsNormTilingInfo(const Shape &srcShape, const Shape &originSrcShape,
                          const uint32_t stackBufferByteSize, const uint32_t typeSize, Tiling &tiling,
                          const bool isBasicBlock = false) {
  const sim::Matrix matrix(srcShape);
  uint32_t most = 0, least = 0;
  GetRmsNormMaxMinTmpSize(srcShape, typeSize, most, least, isBasicBlock);
  if (srcShape.GetDimNum() != 3 || stackBufferByteSize < least) return false;
  tiling::RmsNormTiling t;
  t.bLength = static_cast<uint32_t>(srcShape.GetDim(0));
  t.sLength = static_cast<uint32_t>(srcShape.GetDim(1));
  t.hLength = matrix.columns;
  t.originalHLength = static_cast<uint32_t>(originSrcShape.GetDim(2));
  t.reciprocalOfHLength = 1.0F / static_cast<float>(t.originalHLength);
  // One row at a time, which any work memory has place for.
  t.mainBshLength = matrix.columns;
  t.mainBsLength = 1;
  t.mainBsLengthAlign = 8;
  t.loopRound = matrix.rows;
  t.inputTailPos = matrix.rows * matrix.columns;
  sim::Give(t, tiling);
  return true;
}

// A row and the factors as floats, and a repeat.
template <typename Shape>
void GetAscendDequantMaxMinTmpSize(const Shape &srcShape, const uint32_t, uint32_t &maxValue,
                                   uint32_t &minValue) {
  const sim::Matrix matrix(srcShape);
  minValue = (64 + 2 * matrix.columns) * 4;
  maxValue = (64 + matrix.rows * matrix.columns + matrix.columns) * 4;
}

}  // namespace AscendC
