// SPDX-License-Identifier: Apache-2.0
// Host functions for vector functions that move, choose, sort or convert elements: how much work memory they
// take, and their tilings.
#pragma once

#include "kernel_tiling/sim_vector_settings.h"
#include "pad_tiling.h"
#include "row_functions.h"
#include "topk_tiling.h"

namespace sim {

template <typename Shape>
uint32_t ElementsOf(const Shape &shape) {
  return static_cast<uint32_t>(shape.GetShapeSize());
}
// As many floats as the shape has elements, `units` times, and at least a repeat each time.
template <typename Shape>
void FloatSizes(const Shape &shape, uint32_t units, uint32_t &most, uint32_t &least) {
  least = units * 256;
  most = std::max(least, units * RoundUp(ElementsOf(shape) * 4, 256));
}

// [B, N, S, H] in fractals of 16 x 16, with S and N swapped: the work memory takes as many fractals of a
// column of fractals as it can. The last two fields, which CANN's kernels do not read, are the sizes without
// padding.
template <typename Tiling>
void FillSwap(Tiling &t, uint32_t work_bytes, uint32_t type_bytes, uint32_t b, uint32_t n, uint32_t s,
              uint32_t h) {
  constexpr uint32_t kSide = 16, kFractal = kSide * kSide;
  const uint32_t fractals = std::max(work_bytes / type_bytes / kFractal, 1U);
  t.param0 = 32 / type_bytes;
  t.param1 = b;
  t.param2 = n;
  t.param3 = RoundUp(h, kSide);
  t.param4 = RoundUp(s, kSide);
  t.param5 = t.param3 / kSide;
  t.param6 = fractals * kFractal;
  t.param7 = fractals * kSide;
  t.param8 = t.param4 * kSide;
  t.param9 = t.param8 / t.param6;
  t.param10 = t.param8 % t.param6;
  t.param11 = t.param4 * t.param3;
  t.param12 = n * t.param11;
  t.param13 = n * t.param3;
  t.param14 = n * kSide;
  t.param15 = t.param7 * t.param9 * t.param13;
  t.param16 = s;
  t.param17 = h;
}

}  // namespace sim

namespace AscendC {

// 16 bytes for each element of a row; 20 where the row is to be counted. Of groups, 16 bytes for each element
// of all of them, and the masks.
template <typename Platform>
bool GetTopKMaxMinTmpSize(const Platform &, const int32_t inner, const int32_t outter, const bool,
                          const bool isInitIndex, enum TopKMode mode, const bool, const uint32_t,
                          uint32_t &maxValue, uint32_t &minValue) {
  if (!sim::TopKMayHave(inner, outter, mode)) return false;
  const auto row = static_cast<uint32_t>(inner);
  if (mode == TopKMode::TOPK_NSMALL) {
    minValue = 16 * row * static_cast<uint32_t>(outter) + sim::kTopKMaskBytes;
  } else {
    minValue = (isInitIndex ? 16 : 20) * row;
  }
  maxValue = minValue;
  return true;
}
template <typename Platform, typename Tiling>
bool TopKTilingFunc(const Platform &, const int32_t inner, const int32_t outter, const int32_t k,
                    const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode,
                    const bool isLargest, Tiling &topKTiling) {
  if (!sim::TopKMayHave(inner, outter, mode) || k < 1 || k > inner) return false;
  if (dataTypeSize != 2 && dataTypeSize != 4) return false;
  tiling::TopkTiling t;
  t.allDataSize = inner * outter;
  t.kAlignFourBytes = static_cast<int32_t>(sim::RoundUp(static_cast<uint32_t>(k), 8));
  const auto size = static_cast<int32_t>(dataTypeSize);
  if (mode == TopKMode::TOPK_NSMALL) {
    sim::PlaceTopKOfGroups(t, k, size, !isInitIndex, !isLargest);
    t.maskOffset = outter * k;
  } else {
    sim::PlaceTopKOfRow(t, inner, k, size, !isInitIndex);
    t.maskOffset = outter * (size == 4 ? t.kAlignFourBytes : t.kAlignTwoBytes);
  }
  sim::Give(t, topKTiling);
  return true;
}

// Pairs of a value and an index take 8 bytes.
template <typename Platform>
uint32_t GetConcatTmpSize(const Platform &, const uint32_t, const uint32_t) {
  return 0;
}
template <typename Platform>
uint32_t GetSortTmpSize(const Platform &, const uint32_t elemCount, const uint32_t) {
  return 8 * elemCount;
}

// The sort that takes a SortConfig is not there on Atlas A2.
template <typename Shape, typename DataType>
void GetSortMaxMinTmpSize(const Shape &, DataType, DataType, bool, const SortConfig &, uint32_t &maxValue,
                          uint32_t &minValue) {
  maxValue = minValue = 0;
}

// Two rows as floats, in pieces of a repeat at least.
template <typename Shape>
void GetCumSumMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, const bool, uint32_t &maxValue,
                            uint32_t &minValue) {
  sim::FloatSizes(srcShape, 2, maxValue, minValue);
}
template <typename Shape>
void GetDropOutMaxMinTmpSize(const Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue,
                             uint32_t &minValue) {
  sim::FloatSizes(srcShape, 2, maxValue, minValue);
}
template <typename Shape>
uint32_t GetDropOutMinTmpSize(const Shape &, const uint32_t, const bool) {
  return 2 * 256;
}
template <typename Shape>
uint32_t GetDropOutMaxTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool isReuseSource) {
  uint32_t most = 0, least = 0;
  GetDropOutMaxMinTmpSize(srcShape, typeSize, isReuseSource, most, least);
  return most;
}

template <typename Shape>
void GetPadMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue,
                         uint32_t &minValue) {
  const sim::Matrix matrix(srcShape);
  const uint32_t rows16 = 16 * sim::RoundUp(matrix.columns * typeSize, 32);
  minValue = std::max(rows16, 2 * sim::kTransposedBytes);
  maxValue = std::max(minValue, matrix.rows * rows16 / 16 * 2);
}
template <typename Shape, typename Tiling>
void PadTilingFunc(const Shape &srcShape, const Shape &oriSrcShape, const uint32_t stackBufferSize,
                   const uint32_t typeSize, Tiling &tiling) {
  tiling::PadTiling t;
  sim::SplitPad(t, sim::Matrix(srcShape), sim::Matrix(oriSrcShape).columns, typeSize);
  if (stackBufferSize >= 2 * sim::kTransposedBytes) sim::SplitPadOfParts(t, stackBufferSize, typeSize);
  sim::Give(t, tiling);
}

// Three pieces as half.
template <typename Shape>
void GetAscendQuantMaxMinTmpSize(const Shape &srcShape, const uint32_t, uint32_t &maxValue,
                                 uint32_t &minValue) {
  sim::FloatSizes(srcShape, 3, maxValue, minValue);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
  maxLiveNodeCount = 3;
  extraBuf = 0;
}
template <typename Shape>
void GetAscendDequantTmpBufferFactorSize(const Shape &srcShape, uint32_t &maxLiveNodeCount,
                                         uint32_t &extraBuf) {
  maxLiveNodeCount = 1;
  extraBuf = 64 + sim::Matrix(srcShape).columns;
}
// Two pieces as floats.
template <typename Shape, typename DataType>
void GetAscendAntiQuantMaxMinTmpSize(const Shape &srcShape, const Shape &, bool, DataType, DataType,
                                     uint32_t &maxValue, uint32_t &minValue) {
  sim::FloatSizes(srcShape, 2, maxValue, minValue);
}
template <typename Shape, typename DataType>
uint32_t GetAscendAntiQuantMaxTmpSize(const Shape &srcShape, const Shape &, bool, DataType, DataType) {
  uint32_t most = 0, least = 0;
  sim::FloatSizes(srcShape, 2, most, least);
  return most;
}
template <typename Shape, typename DataType>
uint32_t GetAscendAntiQuantMinTmpSize(const Shape &, const Shape &, bool, DataType, DataType) {
  return 2 * 256;
}
template <typename Shape, typename DataType>
void GetAscendAntiQuantTmpBufferFactorSize(const Shape &, const Shape &, bool, DataType, DataType,
                                           uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
  maxLiveNodeCount = 2;
  extraBuf = 0;
}

// Bits of 2048 elements, and the elements of the mask as half.
#define SIM_SELECT_SIZES(Name)                                                                               \
  template <typename Shape>                                                                                  \
  uint32_t Get##Name##MinTmpSize(const Shape &, const Shape &, const uint32_t, const Shape &,                \
                                 const uint32_t, const bool) {                                               \
    return 4 * 256;                                                                                          \
  }                                                                                                          \
  template <typename Shape>                                                                                  \
  uint32_t Get##Name##MaxTmpSize(const Shape &, const Shape &, const uint32_t, const Shape &maskShape,       \
                                 const uint32_t, const bool) {                                               \
    return std::max(4 * 256U, 256 + 2 * sim::RoundUp(sim::ElementsOf(maskShape), 128));                      \
  }                                                                                                          \
  template <typename Shape>                                                                                  \
  void Get##Name##MaxMinTmpSize(const Shape &src0Shape, const Shape &src1Shape, const uint32_t srcTypeSize,  \
                                const Shape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask, \
                                uint32_t &maxValue, uint32_t &minValue) {                                    \
    minValue =                                                                                               \
        Get##Name##MinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);      \
    maxValue =                                                                                               \
        Get##Name##MaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);      \
  }
SIM_SELECT_SIZES(Select)
SIM_SELECT_SIZES(SelectWithBytesMask)
#undef SIM_SELECT_SIZES

// Products and logical reductions take a repeat, or what extremes take.
#define SIM_LOGIC_SIZES(Name)                                                                                \
  template <typename Shape, typename DataType>                                                               \
  void GetReduce##Name##MaxMinTmpSize(const Shape &srcShape, const DataType dataType, ReducePattern pattern, \
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t &maxValue,            \
                                      uint32_t &minValue) {                                                  \
    GetReduceMaxMaxMinTmpSize(srcShape, dataType, pattern, isSrcInnerPad, isReuseSource, maxValue,           \
                              minValue);                                                                     \
    minValue = std::max(minValue, 256U);                                                                     \
    maxValue = std::max(maxValue, minValue);                                                                 \
  }
SIM_LOGIC_SIZES(Prod)
SIM_LOGIC_SIZES(All)
SIM_LOGIC_SIZES(Any)
#undef SIM_LOGIC_SIZES
template <typename Shape>
void GetReduceXorSumMaxMinTmpSize(const Shape &, const uint32_t, const bool, uint32_t &maxValue,
                                  uint32_t &minValue) {
  maxValue = minValue = 3 * 256;
}

// The tiling has the sizes [B, N, S, H/N], or [H, W], and for the types that swap S and N and for ND2ND_ONLY
// what CANN's kernels read.
template <typename Shape>
void GetTransposeMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const uint32_t,
                               uint32_t &maxValue, uint32_t &minValue) {
  minValue = 2 * 16 * 16 * typeSize;
  maxValue = std::max(minValue, 2 * sim::ElementsOf(srcShape) * typeSize);
}
template <typename Shape, typename Tiling>
void GetTransposeTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            const uint32_t transposeTypeIn, Tiling &tiling) {
  constexpr uint32_t kSwapToNd = 1, kSwapToNz = 2, kMatrix = 7;  // TransposeType
  const size_t dims = srcShape.GetDimNum();
  const auto size = [&](size_t from_end) {
    return dims < from_end ? 1 : static_cast<uint32_t>(srcShape.GetDim(dims - from_end));
  };
  const uint32_t b = size(4), n = size(3), s = size(2), h = size(1);
  tiling::ConfusionTransposeTiling t;
  if (transposeTypeIn == kSwapToNd || transposeTypeIn == kSwapToNz) {
    sim::FillSwap(t, stackBufferSize, typeSize, b, n, s, h);
  } else if (transposeTypeIn == kMatrix) {
    t.param0 = 32 / typeSize;
    t.param1 = s;
    t.param2 = h;
    t.param3 = s / 16;
    t.param4 = s;
    t.param5 = h / t.param0;
  } else {
    t.param0 = b;
    t.param1 = n;
    t.param2 = s;
    t.param3 = h;
  }
  sim::Give(t, tiling);
}
// The older names.
template <typename Shape>
void GetConfusionTransposeMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize,
                                        const uint32_t transposeTypeIn, uint32_t &maxValue,
                                        uint32_t &minValue) {
  GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
template <typename Shape, typename Tiling>
void GetConfusionTransposeTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const uint32_t transposeTypeIn,
                                     Tiling &tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <typename Shape, typename Tiling>
void GetConfusionTransposeOnlyTilingInfo(const Shape &srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, Tiling &tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 0, tiling);
}

// Both tensors.
template <typename Platform, typename Shape, typename DataType, typename Config>
bool GetTransDataMaxMinTmpSize(const Platform &, const Shape &srcShape, const Shape &dstShape, const DataType,
                               const Config &, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 2 * (sim::ElementsOf(srcShape) + sim::ElementsOf(dstShape));
  return true;
}
template <typename Platform, typename Shape>
void GetBroadCastMaxMinTmpSize(const Platform &, const Shape &, const Shape &dstShape,
                               const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  minValue = 2 * 256;
  maxValue = std::max(minValue, sim::RoundUp(sim::ElementsOf(dstShape) * typeSize, 256));
}
inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 0;
}

}  // namespace AscendC
