// SPDX-License-Identifier: Apache-2.0
// Comparisons, which give a bit for each lane, and selections by such bits.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
#include "arithmetic.h"

// vcmp compares one repeat into the register CMPMASK, lanes by the mask registers. vcmpv and vcmpvs compare
// two tensors, or a tensor and a scalar, into memory; they leave lanes out in counting mode only.
#define SIM_COMPARISON(mode)                                                                          \
  template <typename T>                                                                               \
  void vcmp_##mode(__ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dstBlockStride,        \
                   uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,         \
                   uint8_t src0RepeatStride, uint8_t src1RepeatStride);                               \
  template <typename T>                                                                               \
  void vcmpv_##mode(__ubuf__ uint8_t *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat,        \
                    uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,         \
                    uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride);     \
  template <typename T>                                                                               \
  void vcmpvs_##mode(__ubuf__ uint8_t *dst, __ubuf__ T *src0, sim::ScalarFor<T> src1, uint8_t repeat, \
                     uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,      \
                     uint16_t srcRepeatStride);
SIM_COMPARISON(lt)
SIM_COMPARISON(gt)
SIM_COMPARISON(eq)
SIM_COMPARISON(le)
SIM_COMPARISON(ge)
SIM_COMPARISON(ne)
#undef SIM_COMPARISON

// The register CMPMASK has 16 bytes in UB as its source or its destination.
void set_cmpmask(__ubuf__ void *src);
void get_cmpmask(__ubuf__ void *dst);

// dst = bit ? src0 : the other one. What selects and what the other one is depends on selectMode:
//
//   selectMode            bits                                   the other one
//   0 (without the word)  CMPMASK, the same for all repeats      src1
//   1                     at src1, a bit for each lane of all    the scalar that CMPMASK begins with
//   2                     at the address that CMPMASK holds      src1
template <typename T>
void vsel(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dstBlockStride,
          uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,
          uint8_t src1RepeatStride, uint8_t selectMode = 0);
template <typename T>
void vsel(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ void *src1, uint8_t repeat, uint8_t dstBlockStride,
          uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,
          uint8_t src1RepeatStride, uint8_t selectMode);
