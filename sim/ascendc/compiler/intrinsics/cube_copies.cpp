// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_copies.h"

#include "../../include/sim/copy.h"

using namespace sim;

void copy_gm_to_cbuf(void *dst, void *src, uint8_t, uint16_t nBurst, uint16_t lenBurst, uint16_t srcStride,
                     uint16_t dstStride, pad_t padMode) {
  if (padMode != PAD_NONE) {
    Core::Current().Fail(FaultKind::kOther, "DataCopy", Unplaced(),
                         "padMode must be PAD_NONE, others are not modelled");
  }
  CopyBlocks("DataCopy", Side("dst", OnChip<uint8_t>(Space::L1, dst), dstStride),
             Side("src", InGm<uint8_t>(src), srcStride), {nBurst, lenBurst, srcStride, dstStride},
             Unplaced());
}

void copy_cbuf_to_gm(void *dst, void *src, uint8_t, uint16_t nBurst, uint16_t lenBurst, uint16_t srcStride,
                     uint16_t dstStride) {
  CopyBlocks("DataCopy", Side("dst", InGm<uint8_t>(dst), dstStride),
             Side("src", OnChip<uint8_t>(Space::L1, src), srcStride),
             {nBurst, lenBurst, srcStride, dstStride}, Unplaced());
}

void copy_cbuf_to_bt(uint64_t dst, void *src, uint16_t convControl, uint16_t nBurst, uint16_t lenBurst,
                     uint16_t sourceGap, uint16_t dstGap) {
  const AscendC::LocalTensor<float> table(MemoryFrom(Space::BT, dst));
  const AscendC::DataCopyParams params(nBurst, lenBurst, sourceGap, dstGap);
  if (convControl != 0) {
    CopyHalfsToTable("DataCopy", Side("dst", table, dstGap),
                     Side("src", OnChip<half>(Space::L1, src), sourceGap), params, Unplaced());
  } else {
    CopyBlocks("DataCopy", Side("dst", table, dstGap), Side("src", OnChip<float>(Space::L1, src), sourceGap),
               params, Unplaced());
  }
}

void copy_cbuf_to_fbuf(void *dst, void *src, uint16_t burstNum, uint16_t burstLen, uint16_t srcGapSize,
                       uint16_t dstGapSize) {
  CopyBlocks("DataCopy", Side("dst", OnChip<uint64_t>(Space::FB, dst), dstGapSize),
             Side("src", OnChip<uint64_t>(Space::L1, src), srcGapSize),
             {burstNum, burstLen, srcGapSize, dstGapSize}, Unplaced());
}

#define SIM_ND_TO_NZ(bits, T)                                                                                \
  template <>                                                                                                \
  void copy_gm_to_cbuf_multi_nd2nz_##bits(                                                                   \
      T *dst, T *src, uint8_t, uint16_t ndNum, uint16_t nValue, uint16_t dValue, uint16_t srcNdMatrixStride, \
      uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, uint16_t dstNzMatrixStride) {       \
    CopyNdsToNz(Side("dst", OnChip<T>(Space::L1, dst)), Side("src", InGm<T>(src)),                           \
                {ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,           \
                 dstNzMatrixStride},                                                                         \
                Unplaced());                                                                                 \
  }
SIM_ND_TO_NZ(b8, int8_t)
SIM_ND_TO_NZ(b8, uint8_t)
SIM_ND_TO_NZ(b16, half)
SIM_ND_TO_NZ(b16, bfloat16_t)
SIM_ND_TO_NZ(b16, int16_t)
SIM_ND_TO_NZ(b16, uint16_t)
SIM_ND_TO_NZ(b32s, float)
SIM_ND_TO_NZ(b32s, int32_t)
SIM_ND_TO_NZ(b32s, uint32_t)
