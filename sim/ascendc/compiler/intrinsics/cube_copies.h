// SPDX-License-Identifier: Apache-2.0
// Copies to and from L1, the large memory of a cube core, and from there to its tables. Lengths and gaps
// count 32 bytes, in the bias table 64 and in the fix pipe's table 128.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

void copy_gm_to_cbuf(__cbuf__ void *dst, __gm__ void *src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst,
                     uint16_t srcStride, uint16_t dstStride, pad_t padMode);
void copy_cbuf_to_gm(__gm__ void *dst, __cbuf__ void *src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst,
                     uint16_t srcStride, uint16_t dstStride);
// convControl 1: from half to float.
void copy_cbuf_to_bt(uint64_t dst, __cbuf__ void *src, uint16_t convControl, uint16_t nBurst,
                     uint16_t lenBurst, uint16_t sourceGap, uint16_t dstGap);
void copy_cbuf_to_fbuf(__fbuf__ void *dst, __cbuf__ void *src, uint16_t burstNum, uint16_t burstLen,
                       uint16_t srcGapSize, uint16_t dstGapSize);

// Rows of matrices (nValue x dValue elements) to columns of fractals.
#define SIM_ND_TO_NZ(bits)                                                                                   \
  template <typename T>                                                                                      \
  void copy_gm_to_cbuf_multi_nd2nz_##bits(__cbuf__ T *dst, __gm__ T *src, uint8_t sid, uint16_t ndNum,       \
                                          uint16_t nValue, uint16_t dValue, uint16_t srcNdMatrixStride,      \
                                          uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, \
                                          uint16_t dstNzMatrixStride);
SIM_ND_TO_NZ(b8)
SIM_ND_TO_NZ(b16)
SIM_ND_TO_NZ(b32s)
#undef SIM_ND_TO_NZ
