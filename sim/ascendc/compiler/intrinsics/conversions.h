// SPDX-License-Identifier: Apache-2.0
// Conversions between element types. A name says source and destination (f: float, bf: bfloat16_t, s: signed,
// u: unsigned, with the bits of an element), then the direction of rounding: r to the nearest, ties to even;
// f down; c up; a to the nearest, ties away from zero; z towards zero; o to the odd one of two neighbours.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
#include "arithmetic.h"

// X(name, dst, src, RoundMode) for each conversion of one source.
#define SIM_FIVE_DIRECTIONS(X, name, D, S) \
  X(name##r, D, S, CAST_RINT)              \
  X(name##f, D, S, CAST_FLOOR)             \
  X(name##c, D, S, CAST_CEIL)              \
  X(name##a, D, S, CAST_ROUND)             \
  X(name##z, D, S, CAST_TRUNC)
#define SIM_SIX_DIRECTIONS(X, name, D, S) \
  X(name, D, S, CAST_NONE)                \
  SIM_FIVE_DIRECTIONS(X, name, D, S)
#define SIM_CONVERSIONS(X)                                    \
  X(vconv_s82f16, half, int8_t, CAST_NONE)                    \
  X(vconv_u82f16, half, uint8_t, CAST_NONE)                   \
  X(vconv_f162f32, float, half, CAST_NONE)                    \
  X(vconv_bf162f32, float, bfloat16_t, CAST_NONE)             \
  X(vconv_s162f32, float, int16_t, CAST_NONE)                 \
  X(vconv_s322s16, int16_t, int32_t, CAST_NONE)               \
  X(vconv_s322s64, int64_t, int32_t, CAST_NONE)               \
  X(vconv_s642s32, int32_t, int64_t, CAST_NONE)               \
  X(vconv_deq, half, int32_t, CAST_NONE)                      \
  SIM_SIX_DIRECTIONS(X, vconv_f162s8, int8_t, half)           \
  SIM_SIX_DIRECTIONS(X, vconv_f162u8, uint8_t, half)          \
  SIM_SIX_DIRECTIONS(X, vconv_s162f16, half, int16_t)         \
  SIM_SIX_DIRECTIONS(X, vconv_s322f32, float, int32_t)        \
  SIM_SIX_DIRECTIONS(X, vconv_f322f16, half, float)           \
  X(vconv_f322f16o, half, float, CAST_ODD)                    \
  SIM_FIVE_DIRECTIONS(X, vconv_f162s16, int16_t, half)        \
  SIM_FIVE_DIRECTIONS(X, vconv_f162s32, int32_t, half)        \
  SIM_FIVE_DIRECTIONS(X, vconv_bf162s32, int32_t, bfloat16_t) \
  SIM_FIVE_DIRECTIONS(X, vconv_f322s16, int16_t, float)       \
  SIM_FIVE_DIRECTIONS(X, vconv_f322bf16, bfloat16_t, float)   \
  SIM_FIVE_DIRECTIONS(X, vconv_f322s32, int32_t, float)       \
  SIM_FIVE_DIRECTIONS(X, vconv_f322f32, float, float)         \
  SIM_FIVE_DIRECTIONS(X, vconv_f322s64, int64_t, float)       \
  SIM_FIVE_DIRECTIONS(X, vconv_s642f32, float, int64_t)

#define SIM_CONVERSION(name, D, S, mode)                                               \
  void name(__ubuf__ D *dst, __ubuf__ S *src, uint8_t repeat, uint16_t dstBlockStride, \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
SIM_CONVERSIONS(SIM_CONVERSION)
#undef SIM_CONVERSION

// Arithmetic on two sources, and a conversion of its result. CANN's headers leave `h` false.
#define SIM_COMPUTED_CONVERSION(name, D, S)                                                              \
  void name(__ubuf__ D *dst, __ubuf__ S *src0, __ubuf__ S *src1, uint8_t repeat, uint8_t dstBlockStride, \
            uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,                   \
            uint8_t src0RepeatStride, uint8_t src1RepeatStride, bool h = false);
SIM_COMPUTED_CONVERSION(vaddreluconv_f162s8, int8_t, half)
SIM_COMPUTED_CONVERSION(vaddreluconv_f322f16, half, float)
SIM_COMPUTED_CONVERSION(vaddreluconv_s162s8, int8_t, int16_t)
SIM_COMPUTED_CONVERSION(vsubreluconv_f162s8, int8_t, half)
SIM_COMPUTED_CONVERSION(vsubreluconv_f322f16, half, float)
SIM_COMPUTED_CONVERSION(vsubreluconv_s162s8, int8_t, int16_t)
SIM_COMPUTED_CONVERSION(vmulconv_f162s8, int8_t, half)
SIM_COMPUTED_CONVERSION(vmulconv_f162u8, uint8_t, half)
#undef SIM_COMPUTED_CONVERSION

// Conversions to and from int4b_t, of which two lie in a byte, the first one in its low half.
#define SIM_INT4_CONVERSION(name, D, S, mode)                                          \
  void name(__ubuf__ D *dst, __ubuf__ S *src, uint8_t repeat, uint16_t dstBlockStride, \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
SIM_SIX_DIRECTIONS(SIM_INT4_CONVERSION, vconv_f162s4, void, half)
SIM_INT4_CONVERSION(vconv_s42f16, half, void, CAST_NONE)
#undef SIM_INT4_CONVERSION

// dst = src * scale + offset by DEQSCALE, in the high (h) or low (l) half of each data block of dst. The vdeq
// forms have parameters for each of the 16 lanes of a data block of src: DEQSCALE holds their address in UB,
// in units of 32 bytes.
#define SIM_DEQUANTISATION(name)                                                             \
  template <typename T>                                                                      \
  void name(__ubuf__ T *dst, __ubuf__ int16_t *src, uint8_t repeat, uint16_t dstBlockStride, \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
SIM_DEQUANTISATION(vconv_deqs162b8h)
SIM_DEQUANTISATION(vconv_deqs162b8l)
SIM_DEQUANTISATION(vconv_vdeqs162b8h)
SIM_DEQUANTISATION(vconv_vdeqs162b8l)
#undef SIM_DEQUANTISATION
