// SPDX-License-Identifier: Apache-2.0
// The tiling API of Matmul. The setters describe a product; GetTiling searches a tiling for it, and returns
// -1 where there is none. All other functions return 0, as CANN's do.
#pragma once

#include "matmul_problem.h"
#include "matmul_tilingdata.h"

namespace matmul_tiling {

class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase() { TakeMemories(&problem_); }
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &ascendcPlatform) {
    TakeMemories(&problem_, ascendcPlatform);
  }
  explicit MatmulApiTilingBase(const PlatformInfo &platform) {
    TakeMemories(&problem_);
    if (platform.l1Size != 0) problem_.l1 = platform.l1Size;
    if (platform.l0CSize != 0) problem_.l0c = platform.l0CSize;
    if (platform.ubSize != 0) problem_.ub = platform.ubSize;
    if (platform.l0ASize != 0) problem_.l0a = platform.l0ASize;
    if (platform.l0BSize != 0) problem_.l0b = platform.l0BSize;
  }
  virtual ~MatmulApiTilingBase() = default;

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    problem_.a = {pos, type, dataType, isTrans};
    return 0;
  }
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    problem_.b = {pos, type, dataType, isTrans};
    return 0;
  }
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    problem_.c = {pos, type, dataType, false};
    return 0;
  }
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    problem_.bias = {pos, type, dataType, false};
    return 0;
  }
  int32_t SetDequantType(DequantType dequantType) {
    problem_.tables = dequantType == DequantType::TENSOR;
    return 0;
  }

  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k) {
    problem_.part = {m, n, k};
    if (problem_.whole.m == kUnset) problem_.whole = problem_.part;
    return 0;
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
    problem_.whole = {orgMIn, orgNIn, orgKaIn};
    problem_.whole_kb = orgKbIn;
    return 0;
  }

  // The axes of matrices of a batch.
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout_.ALayoutInfoB = b, layout_.ALayoutInfoS = s, layout_.ALayoutInfoN = n;
    layout_.ALayoutInfoG = g, layout_.ALayoutInfoD = d;
    return 0;
  }
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout_.BLayoutInfoB = b, layout_.BLayoutInfoS = s, layout_.BLayoutInfoN = n;
    layout_.BLayoutInfoG = g, layout_.BLayoutInfoD = d;
    return 0;
  }
  int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout_.CLayoutInfoB = b, layout_.CLayoutInfoS1 = s, layout_.CLayoutInfoN = n;
    layout_.CLayoutInfoG = g, layout_.CLayoutInfoS2 = d;
    return 0;
  }
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
    layout_.ALayoutInfoB = batchA, layout_.BLayoutInfoB = batchB;
    layout_.CLayoutInfoB = batchA > batchB ? batchA : batchB;
    layout_.ALayoutInfoS = layout_.CLayoutInfoS1 = m;
    layout_.BLayoutInfoS = layout_.CLayoutInfoS2 = n;
    layout_.ALayoutInfoD = layout_.BLayoutInfoD = k;
    layout_.ALayoutInfoN = layout_.BLayoutInfoN = layout_.CLayoutInfoN = 1;
    layout_.ALayoutInfoG = layout_.BLayoutInfoG = layout_.CLayoutInfoG = 1;
    return SetOrgShape(m, n, k);
  }
  int32_t SetBatchNum(int32_t batch) {
    layout_.BatchNum = batch;
    return 0;
  }

  int32_t EnableBias(bool isBiasIn = false) {
    problem_.biased = isBiasIn;
    return 0;
  }
  int32_t SetSparse(bool isSparseIn = false) {
    problem_.sparse = isSparseIn;
    return 0;
  }
  int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1) {
    problem_.base = {baseMIn, baseNIn, baseKIn};
    return 0;
  }
  // Bytes that Matmul may take; -1: all.
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t = -1) {
    if (l1Size > 0) problem_.l1 = l1Size;
    if (l0CSize > 0) problem_.l0c = l0CSize;
    if (ubSize >= 0) problem_.ub = ubSize;
    return 0;
  }
  int32_t SetTraverse(MatrixTraverse traverse) {
    problem_.along_n = traverse == MatrixTraverse::FIRSTN;
    return 0;
  }
  int32_t SetMadType(MatrixMadType) { return 0; }
  int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t = -1,
                        int32_t = -1, int32_t = -1) {
    problem_.largest_base = {maxBaseM, maxBaseN, maxBaseK};
    return 0;
  }
  // Buffers are double wherever two fit.
  int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false) {
    SetMatmulConfigParams(
        MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn));
  }
  void SetMatmulConfigParams(const MatmulConfigParams &configParams) {
    if (configParams.traverse != MatrixTraverse::NOSET) SetTraverse(configParams.traverse);
    problem_.nine_blocks = configParams.scheduleType == ScheduleType::N_BUFFER_33;
  }

  int32_t GetBaseM() const { return tiling_.baseM; }
  int32_t GetBaseN() const { return tiling_.baseN; }
  int32_t GetBaseK() const { return tiling_.baseK; }

  virtual int64_t GetTiling(AscendC::tiling::TCubeTiling &tiling) {
    AscendC::tiling::TCubeTiling found = layout_;
    if (!FindTiling(problem_, &found)) return -1;
    tiling = tiling_ = found;
    return 0;
  }
  virtual int64_t GetTiling(optiling::TCubeTiling &tiling) {
    AscendC::tiling::TCubeTiling found;
    const int64_t result = GetTiling(found);
    if (result != 0) return result;
#define SIM_SET_TILING_FIELD(name) tiling.set_##name(found.name);
    SIM_CUBE_TILING_FIELDS(SIM_SET_TILING_FIELD)
#undef SIM_SET_TILING_FIELD
    return 0;
  }

 protected:
  Problem problem_;
  AscendC::tiling::TCubeTiling layout_;  // the axes of a batch
  AscendC::tiling::TCubeTiling tiling_;  // the last one that was found
};

// A product of one core.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
};

// A product that cores divide among them.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  int32_t SetDim(int32_t dim) {
    problem_.cores = dim;
    return 0;
  }
  virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1) {
    problem_.single = {singleMIn, singleNIn, singleKIn};
    return 0;
  }
  virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                                 int32_t minN = -1, int32_t minK = -1) {
    problem_.largest_single = {maxM, maxN, maxK};
    problem_.smallest_single = {minM, minN, minK};
    return 0;
  }
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    problem_.align = {alignM, alignN, alignK};
    return 0;
  }
  void EnableMultiCoreSplitK(bool flag) { problem_.split_k = flag; }
  void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }

  int32_t GetSingleShape(int32_t &shapeM, int32_t &shapeN, int32_t &shapeK) {
    shapeM = tiling_.singleCoreM;
    shapeN = tiling_.singleCoreN;
    shapeK = tiling_.singleCoreK;
    return 0;
  }
  // All cores, and those along m and along n.
  int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) {
    dim = tiling_.usedCoreNum;
    mDim = tiling_.singleCoreM == 0 ? 0 : (tiling_.M + tiling_.singleCoreM - 1) / tiling_.singleCoreM;
    nDim = tiling_.singleCoreN == 0 ? 0 : (tiling_.N + tiling_.singleCoreN - 1) / tiling_.singleCoreN;
    return 0;
  }
};

// Products of the same shape: cores divide the batch, and each computes whole products.
class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  int32_t SetBatch(int32_t batchMIn = 1, int32_t batchNIn = 1) {
    layout_.batchM = batchMIn;
    layout_.batchN = batchNIn;
    return 0;
  }
  int32_t SetSingleBatch(int32_t singleMIn = -1, int32_t singleNIn = -1) {
    layout_.singleBatchM = singleMIn;
    layout_.singleBatchN = singleNIn;
    return 0;
  }
  int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim, int32_t &batchCoreM, int32_t &batchCoreN) {
    const auto parts = [](int32_t batch, int32_t single) {
      return single > 0 && batch > 0 ? (batch + single - 1) / single : 1;
    };
    mDim = nDim = 1;
    batchCoreM = parts(layout_.batchM, layout_.singleBatchM);
    batchCoreN = parts(layout_.batchN, layout_.singleBatchN);
    dim = batchCoreM * batchCoreN;
    return 0;
  }
};

}  // namespace matmul_tiling

inline int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                     matmul_tiling::SysTilingTempBufSize &bufSize) {
  bufSize = matmul_tiling::MemoriesOf(tiling);
  return 0;
}
inline int32_t MatmulGetTmpBufSize(optiling::TCubeTiling &tiling,
                                   matmul_tiling::SysTilingTempBufSize &bufSize) {
  bufSize = {tiling.get_shareUbSize(), tiling.get_shareL1Size(), tiling.get_shareL0CSize()};
  return 0;
}
inline int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling &tiling,
                                            matmul_tiling::SysTilingTempBufSize &bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling &tiling,
                                        matmul_tiling::SysTilingTempBufSize &bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
inline int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                              matmul_tiling::SysTilingTempBufSize &bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
inline int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                          matmul_tiling::SysTilingTempBufSize &bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
