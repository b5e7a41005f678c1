// SPDX-License-Identifier: Apache-2.0
// Vector instructions that compute lane by lane. The mask registers say which lanes compute; `repeat` counts blocks of
// 256 bytes; strides count data blocks of 32 bytes.
#pragma once

#include "../element_types.h"
#include "../keywords.h"

// dst = function(src0, src1)
#define SIM_BINARY(name)                                                                                         \
  template <typename T>                                                                                          \
  void name(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dstBlockStride,         \
            uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride, \
            uint8_t src1RepeatStride);
SIM_BINARY(vadd)
SIM_BINARY(vsub)
SIM_BINARY(vmul)
SIM_BINARY(vdiv)
SIM_BINARY(vmax)
SIM_BINARY(vmin)
SIM_BINARY(vand)
SIM_BINARY(vor)
SIM_BINARY(vaddrelu)
SIM_BINARY(vsubrelu)
#undef SIM_BINARY

// dst = function(src)
#define SIM_UNARY(name)                                                                                      \
  template <typename T>                                                                                      \
  void name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride);
SIM_UNARY(vabs)
SIM_UNARY(vexp)
SIM_UNARY(vln)
SIM_UNARY(vrelu)
SIM_UNARY(vsqrt)
SIM_UNARY(vrsqrt)
SIM_UNARY(vrec)
SIM_UNARY(vnot)
#undef SIM_UNARY
