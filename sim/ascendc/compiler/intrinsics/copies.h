// SPDX-License-Identifier: Apache-2.0
// Copies between memories. Lengths, gaps and strides of copy_x_to_y count data blocks of 32 bytes; lengths
// and gaps in global memory of the _align_ forms count bytes.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

void copy_gm_to_ubuf(__ubuf__ void *dst, __gm__ void *src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst,
                     uint16_t srcGap, uint16_t dstGap);
void copy_ubuf_to_gm(__gm__ void *dst, __ubuf__ void *src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst,
                     uint16_t srcGap, uint16_t dstGap);
void copy_ubuf_to_ubuf(__ubuf__ void *dst, __ubuf__ void *src, uint8_t sid, uint16_t nBurst,
                       uint16_t lenBurst, uint16_t srcGap, uint16_t dstGap);

#define SIM_ALIGNED_COPIES(bits)                                                                         \
  void copy_gm_to_ubuf_align_b##bits(__ubuf__ void *dst, __gm__ void *src, uint8_t sid, uint16_t nBurst, \
                                     uint32_t lenBurst, uint8_t leftPaddingNum, uint8_t rightPaddingNum, \
                                     uint32_t srcGap, uint32_t dstGap);                                  \
  void copy_ubuf_to_gm_align_b##bits(__gm__ void *dst, __ubuf__ void *src, uint8_t sid, uint16_t nBurst, \
                                     uint32_t lenBurst, uint8_t leftPaddingNum, uint8_t rightPaddingNum, \
                                     uint32_t srcGap, uint32_t dstGap);
SIM_ALIGNED_COPIES(8)
SIM_ALIGNED_COPIES(16)
SIM_ALIGNED_COPIES(32)
#undef SIM_ALIGNED_COPIES
