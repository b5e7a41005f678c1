// SPDX-License-Identifier: Apache-2.0
// Host functions for normalisations: how much work memory they take, and their tilings. The least is what
// CANN's formulas say, and what one row takes here. The functions themselves take of a tiling the shape
// alone.
#pragma once

#include <cstring>

#include "row_functions.h"

namespace sim {

// The value of a row, and `rows` rows of floats behind it.
constexpr uint32_t NormWorkBytes(uint32_t columns, uint32_t rows) {
  return 32 + 256 + rows * RoundUp(columns * 4, 32);
}

// The axes of [B, S, H, original H].
struct NormShape {
  template <typename Shape>
  explicit NormShape(const Shape &shape)
      : b(static_cast<uint32_t>(shape.GetDim(0))),
        s(static_cast<uint32_t>(shape.GetDim(1))),
        h(static_cast<uint32_t>(shape.GetDim(2))),
        original_h(shape.GetDimNum() > 3 ? static_cast<uint32_t>(shape.GetDim(3)) : h) {}
  uint32_t rows() const { return b * s; }
  uint32_t bytes() const { return b * s * h * 4; }

  uint32_t b;
  uint32_t s;
  uint32_t h;
  uint32_t original_h;
};

// A mean and a variance of each row, and `units` copies of a row, or of all of them.
inline void NormSizes(const NormShape &shape, uint32_t units, uint32_t &most, uint32_t &least) {
  const uint32_t values = 2 * RoundUp(shape.rows() * 4, 32);
  least = NormWorkBytes(shape.h, units) + values;
  most = std::max(least, units * shape.bytes() + values);
}

// The fields that tilings of rows share: the rows are computed in as many rounds as the work memory needs.
template <typename Tiling>
void FillRounds(Tiling &t, const NormShape &shape, uint32_t stack_bytes, uint32_t units) {
  const uint32_t at_once =
      std::clamp(stack_bytes / 4 / units / std::max(shape.h, 1U), 1U, std::max(shape.rows(), 1U));
  t.bLength = shape.b;
  t.sLength = shape.s;
  t.hLength = shape.h;
  t.originalHLength = shape.original_h;
  t.inputXSize = shape.rows() * shape.h;
  t.meanVarSize = shape.rows();
  t.numberOfTmpBuf = units;
  t.tmpBufSize = stack_bytes / 4;
  t.oneTmpSize = t.inputRoundSize = t.bshCurLength = at_once * shape.h;
  t.secondTmpStartPos = t.oneTmpSize;
  t.thirdTmpStartPos = 2 * t.oneTmpSize;
  t.loopRound = shape.rows() / at_once;
  t.meanVarRoundSize = t.bsCurLength = at_once;
  t.meanVarTailSize = shape.rows() % at_once;
  t.meanVarTailPos = shape.rows() - t.meanVarTailSize;
  t.inputTailSize = t.meanVarTailSize * shape.h;
  t.inputTailPos = t.inputXSize - t.inputTailSize;
  t.lastDimValueBack = 1.0F / static_cast<float>(shape.original_h);
}

// Pieces of the input that LayerNormGrad has in its work memory.
constexpr uint32_t LayerNormGradUnits(uint32_t type_size, bool in_source) {
  return type_size == 2 ? 9 : in_source ? 4 : 6;
}

inline uint32_t BitsOfFloat(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace sim

namespace AscendC {

template <typename Shape>
void GetLayerNormMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue,
                               uint32_t &minValue) {
  sim::NormSizes(sim::NormShape(srcShape), 3, maxValue, minValue);
}
template <typename Shape, typename Tiling>
void GetLayerNormNDTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize, const uint32_t,
                              const bool, Tiling &tiling) {
  tiling::LayerNormTiling t;
  sim::FillRounds(t, sim::NormShape(srcShape), stackBufferSize, 3);
  sim::Give(t, tiling);
}
// The older spelling.
template <typename Shape, typename Tiling>
void GetLayerNormNDTillingInfo(const Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                               const bool isReuseSource, Tiling &tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}

// The shape [A, R].
template <typename Shape>
void GetNormalizeMaxMinTmpSize(const Shape &srcShape, const uint32_t, const uint32_t typeSizeT, const bool,
                               const bool, const bool, uint32_t &maxValue, uint32_t &minValue) {
  const sim::Matrix matrix(srcShape);
  const uint32_t stride = sim::RoundUp(matrix.columns, 32 / typeSizeT);
  minValue = sim::NormWorkBytes(stride, 4) + sim::RoundUp(matrix.rows * 4, 32);
  maxValue = std::max(minValue, 2 * (matrix.rows + 1) * stride * 4);
}
template <typename Shape>
void GetLayerNormMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                               const bool isComputeRstd, const bool isOnlyOutput, uint32_t &maxValue,
                               uint32_t &minValue) {
  GetNormalizeMaxMinTmpSize(srcShape, typeSize, typeSize, isReuseSource, isComputeRstd, isOnlyOutput,
                            maxValue, minValue);
  const uint32_t values = sim::RoundUp(sim::Matrix(srcShape).rows * 4, 32);
  maxValue += values;
  minValue += values;
}
template <typename Shape, typename Tiling>
void GetLayerNormNDTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                              const bool, const bool, Tiling &tiling) {
  const sim::Matrix matrix(srcShape);
  const uint32_t stride = sim::RoundUp(matrix.columns, 32 / typeSize);
  tiling::LayerNormSeparateTiling t;
  t.aLength = t.meanVarSize = t.meanVarRoundSize = t.aCurLength = matrix.rows;
  t.rLength = matrix.columns;
  t.inputXSize = t.inputRoundSize = t.oneTmpSize = t.arCurLength = matrix.rows * stride;
  t.numberOfTmpBuf = 2;
  t.tmpBufSize = stackBufferSize / 4;
  t.loopRound = 1;
  t.rValueBack = 1.0F / static_cast<float>(matrix.columns);
  sim::Give(t, tiling);
}

template <typename Shape>
void GetLayerNormGradMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                   uint32_t &maxValue, uint32_t &minValue) {
  const uint32_t units = sim::LayerNormGradUnits(typeSize, isReuseSource);
  sim::NormSizes(sim::NormShape(srcShape), units, maxValue, minValue);
}
// Copies of a piece that lie one behind the other in the work memory, with CANN's order. Values of rows are
// read where a piece begins, so that it has as many rows as fill data blocks.
template <typename Shape, typename Tiling>
void GetLayerNormGradNDTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize,
                                  const uint32_t typeSize, const bool isReuseSource, Tiling &tiling) {
  const sim::NormShape shape(srcShape);
  const uint32_t units = sim::LayerNormGradUnits(typeSize, isReuseSource);
  const uint32_t at_once = std::max(stackBufferSize / 4 / units / std::max(shape.h, 1U), 1U);
  tiling::LayerNormGradTiling t;
  t.stackBufferSize = stackBufferSize;
  t.bLength = shape.b;
  t.sLength = shape.s;
  t.hLength = shape.h;
  t.originalHLength = shape.original_h;
  t.nohCalSize = sim::RoundUp(at_once, 32 / typeSize);
  t.oneCalSize = t.nohCalSize * shape.h;
  t.loopNum = shape.rows() / t.nohCalSize;
  t.nohTailSize = shape.rows() % t.nohCalSize;
  t.tailSize = t.nohTailSize * shape.h;
  t.pdVarTensorPos = t.oneCalSize;
  t.pdMeanTensorPos = 2 * t.oneCalSize;
  const bool in_source = isReuseSource && typeSize == 4;
  t.x1TensorPos = in_source ? 0 : 3 * t.oneCalSize;
  t.x2TensorPos = in_source ? 0 : 4 * t.oneCalSize;
  t.x3TensorPos = (in_source ? 3 : 5) * t.oneCalSize;
  if (typeSize == 2) {
    t.tmpTensorPos = 6 * t.oneCalSize;
    t.tmpTensor1Pos = 7 * t.oneCalSize;
    t.tmpTensor2Pos = 8 * t.oneCalSize;
  }
  t.tmpTensorBSHSize = t.pdVarTensorSize = t.pdMeanTensorSize = t.oneCalSize;
  t.x1TensorSize = t.x2TensorSize = t.x3TensorSize = t.oneCalSize;
  t.tmpTensorSize = t.tmpTensor1Size = t.tmpTensor2Size = t.oneCalSize;
  t.lastDimValueBack = sim::BitsOfFloat(1.0F / static_cast<float>(shape.original_h));
  t.lastDimValueBackMulTwo = sim::BitsOfFloat(2.0F / static_cast<float>(shape.original_h));
  sim::Give(t, tiling);
}

template <typename Shape>
void GetLayerNormGradBetaMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue,
                                       uint32_t &minValue) {
  sim::NormSizes(sim::NormShape(srcShape), 4, maxValue, minValue);
}
template <typename Shape, typename Tiling>
void GetLayerNormGradBetaNDTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize,
                                      const uint32_t typeSize, const bool, Tiling &tiling) {
  const sim::NormShape shape(srcShape);
  tiling::LayerNormGradBetaTiling t;
  t.stackBufferSize = stackBufferSize / 4;
  t.bLength = shape.b;
  t.sLength = shape.s;
  t.hLength = shape.h;
  t.originalHLength = shape.original_h;
  t.bshLength = shape.rows() * shape.h;
  t.bsLength = shape.rows();
  // Half has both results and both sources as floats in the work memory.
  const bool narrow = typeSize == 2;
  t.numberOfTmpBuf = narrow ? 2 : 1;
  const uint32_t results = narrow ? 2 * shape.h : 0;
  const uint32_t room = std::max(t.stackBufferSize, results) - results;
  t.bsCurLength = std::clamp(room / t.numberOfTmpBuf / std::max(shape.h, 1U), 1U, std::max(t.bsLength, 1U));
  t.oneCalSize = t.bshCurLength = t.bsCurLength * shape.h;
  t.loopRound = t.bsLength / t.bsCurLength;
  t.bsTailSize = t.bsLength % t.bsCurLength;
  t.inputTailSize = t.bsTailSize * shape.h;
  t.inputTailPos = t.bshLength - t.inputTailSize;
  if (narrow) {
    t.betaTempTensorPos = shape.h;
    t.inputDyTmpTensorPos = 2 * shape.h;
    t.resForGammaTmpTensorPos = 2 * shape.h + t.oneCalSize;
  }
  sim::Give(t, tiling);
}

template <typename Shape>
bool GetDeepNormMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, const bool,
                              uint32_t &maxValue, uint32_t &minValue) {
  sim::NormSizes(sim::NormShape(srcShape), 3, maxValue, minValue);
  return true;
}
template <typename Shape, typename Tiling>
bool GetDeepNormTilingInfo(const Shape &srcShape, const Shape &originSrcShape, const uint32_t stackBufferSize,
                           const uint32_t, const bool, const bool, Tiling &tiling) {
  sim::NormShape shape(srcShape);
  shape.original_h = static_cast<uint32_t>(originSrcShape.GetDim(2));
  tiling::DeepNormTiling t;
  sim::FillRounds(t, shape, stackBufferSize, 3);
  sim::Give(t, tiling);
  return true;
}

// The mean, the variance and a row, in pieces of 64 columns at least.
template <typename Shape>
bool GetBatchNormMaxMinTmpSize(const Shape &srcShape, const Shape &originSrcShape, const uint32_t typeSize,
                               const bool, uint32_t &maxValue, uint32_t &minValue,
                               const bool isBasicBlock = false) {
  const sim::NormShape shape(srcShape);
  const auto rows = static_cast<uint32_t>(originSrcShape.GetDim(0));
  const uint32_t piece = rows * (isBasicBlock ? 256 : typeSize == 2 ? 64 : 32);
  minValue = std::max(3 * 256U, 3 * piece + 2 * shape.s * shape.h * 4);
  maxValue = std::max(minValue, (3 * rows + 2) * shape.s * shape.h * 4);
  return true;
}
template <typename Shape, typename Tiling>
bool GetBatchNormNDTilingInfo(const Shape &srcShape, const Shape &originSrcShape,
                              const uint32_t stackBufferByteSize, const uint32_t, const bool, Tiling &tilling,
                              const bool = false) {
  const sim::NormShape shape(srcShape);
  tiling::BatchNormTiling t;
  t.originalBLength = static_cast<uint32_t>(originSrcShape.GetDim(0));
  t.meanVarSize = t.shCurLength = shape.s * shape.h;
  t.tmpBufSize = stackBufferByteSize / 4;
  t.oneTmpSize = t.bshCurLength = t.originalBLength * t.meanVarSize;
  t.loopRound = 1;
  t.firstDimValueBack = 1.0F / static_cast<float>(t.originalBLength);
  sim::Give(t, tilling);
  return t.originalBLength > 0;
}

// The shape [N, C, H, W]. A groupNum of 0 leaves zeros.
template <typename Shape>
void GetGroupNormMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool,
                               const uint32_t groupNum, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 0;
  if (groupNum == 0) return;
  const auto n = static_cast<uint32_t>(srcShape.GetDim(0)), c = static_cast<uint32_t>(srcShape.GetDim(1));
  const auto hw = static_cast<uint32_t>(srcShape.GetDim(2) * srcShape.GetDim(3));
  const uint32_t stride = sim::RoundUp(hw, 32 / typeSize), values = 2 * sim::RoundUp(n * groupNum * 4, 32);
  minValue = sim::NormWorkBytes(stride, 3 * std::max(c / groupNum, 1U)) + values;
  maxValue = std::max(minValue, 3 * n * c * stride * 4 + values);
}
template <typename Shape, typename Tiling>
void GetGroupNormNDTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                              const bool, const uint32_t groupNum, Tiling &tiling) {
  tiling::GroupNormTiling t;
  if (groupNum == 0) return sim::Give(t, tiling);
  t.n = static_cast<uint32_t>(srcShape.GetDim(0));
  t.c = static_cast<uint32_t>(srcShape.GetDim(1));
  t.hw = static_cast<uint32_t>(srcShape.GetDim(2) * srcShape.GetDim(3));
  t.g = groupNum;
  t.d = t.c / groupNum;
  t.hwAlignSize = sim::RoundUp(t.hw, 32 / typeSize);
  t.dhwAlignSize = t.d * t.hwAlignSize;
  t.inputXSize = t.n * t.c * t.hwAlignSize;
  t.meanVarSize = t.n * t.g;
  t.numberOfTmpBuf = 3;
  t.tmpBufSize = stackBufferSize / 4;
  t.oneTmpSize = t.inputRoundSize = t.bshCurLength = t.dhwAlignSize;
  t.meanVarRoundSize = t.bsCurLength = 1;
  t.loopRound = t.meanVarSize;
  t.factor = 1.0F / static_cast<float>(t.d * t.hw);
  sim::Give(t, tiling);
}

// One or two pieces of 64 lanes, and one more for half.
template <typename Shape>
void GetWelfordUpdateMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSizeT, const uint32_t,
                                   const bool isReuseSource, const bool, uint32_t &maxValue,
                                   uint32_t &minValue) {
  minValue = (typeSizeT == 2 ? 3 : isReuseSource ? 1 : 2) * 256;
  maxValue = sim::RoundUp(static_cast<uint32_t>(srcShape.GetShapeSize()), 64) / 64 * minValue;
}
template <typename Shape>
void GetWelfordFinalizeMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue,
                                     uint32_t &minValue) {
  minValue = 4 * 256;
  maxValue = std::max(minValue, (2 * 64 + 2 * static_cast<uint32_t>(srcShape.GetShapeSize())) * 4);
}

}  // namespace AscendC
