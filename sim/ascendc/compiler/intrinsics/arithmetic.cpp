// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "arithmetic.h"

#include "../../include/kernel_operator_vec_binary_scalar_intf.h"
#include "../../include/kernel_operator_vec_duplicate_intf.h"
#include "../../include/kernel_operator_vec_ternary_scalar_intf.h"

using namespace sim;

// --- two sources
#define SIM_TWO_SOURCES(name, Function, api, Lane, D, S)                                                 \
  template <>                                                                                            \
  void name(D *dst, S *src0, S *src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride,   \
            uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,                  \
            uint8_t src1RepeatStride) {                                                                  \
    Function(#api, Lane(), InUb(dst), InUb(src0), InUb(src1),                                            \
             ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {src0BlockStride, src0RepeatStride}, \
                         {src1BlockStride, src1RepeatStride}),                                           \
             Unplaced());                                                                                \
  }
#define SIM_BINARY_OF(name, api, Lane, T) SIM_TWO_SOURCES(name, Binary, api, Lane, T, T)
#define SIM_BINARY2(name, api, Lane)   \
  SIM_BINARY_OF(name, api, Lane, half) \
  SIM_BINARY_OF(name, api, Lane, float)
#define SIM_BINARY4(name, api, Lane)      \
  SIM_BINARY2(name, api, Lane)            \
  SIM_BINARY_OF(name, api, Lane, int16_t) \
  SIM_BINARY_OF(name, api, Lane, int32_t)
SIM_BINARY4(vadd, Add, AddLane)
SIM_BINARY4(vsub, Sub, SubLane)
SIM_BINARY4(vmul, Mul, MulLane)
SIM_BINARY4(vmax, Max, MaxLane)
SIM_BINARY4(vmin, Min, MinLane)
SIM_BINARY2(vdiv, Div, DivLane)
SIM_BINARY_OF(vand, And, AndLane, int16_t)
SIM_BINARY_OF(vand, And, AndLane, uint16_t)
SIM_BINARY_OF(vor, Or, OrLane, int16_t)
SIM_BINARY_OF(vor, Or, OrLane, uint16_t)
SIM_BINARY2(vaddrelu, AddRelu, ThenRelu<AddLane>)
SIM_BINARY_OF(vaddrelu, AddRelu, ThenRelu<AddLane>, int16_t)
SIM_BINARY2(vsubrelu, SubRelu, ThenRelu<SubLane>)
SIM_BINARY_OF(vsubrelu, SubRelu, ThenRelu<SubLane>, int16_t)

SIM_TWO_SOURCES(vmla, Accumulate, MulAddDst, MulAddLane<half>, half, half)
SIM_TWO_SOURCES(vmla, Accumulate, MulAddDst, MulAddLane<float>, float, float)
SIM_TWO_SOURCES(vmla, Accumulate, MulAddDst, MulAddLane<float>, float, half)
SIM_TWO_SOURCES(vmadd, Accumulate, FusedMulAdd, FusedLane<half>, half, half)
SIM_TWO_SOURCES(vmadd, Accumulate, FusedMulAdd, FusedLane<float>, float, float)
SIM_TWO_SOURCES(vmaddrelu, Accumulate, FusedMulAddRelu, FusedReluLane<half>, half, half)
SIM_TWO_SOURCES(vmaddrelu, Accumulate, FusedMulAddRelu, FusedReluLane<float>, float, float)

// --- one source
#define SIM_UNARY_OF(name, api, Lane, T)                                                             \
  template <>                                                                                        \
  void name(T *dst, T *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,        \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                    \
    Unary(#api, Lane(), InUb(dst), InUb(src),                                                        \
          ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}), \
          Unplaced());                                                                               \
  }
#define SIM_UNARY2(name, api, Lane)   \
  SIM_UNARY_OF(name, api, Lane, half) \
  SIM_UNARY_OF(name, api, Lane, float)
SIM_UNARY2(vabs, Abs, AbsLane)
SIM_UNARY2(vexp, Exp, ExpLane)
SIM_UNARY2(vln, Ln, LnLane)
SIM_UNARY2(vrelu, Relu, ReluLane)
SIM_UNARY_OF(vrelu, Relu, ReluLane, int32_t)
SIM_UNARY2(vsqrt, Sqrt, SqrtLane)
SIM_UNARY2(vrsqrt, Rsqrt, RsqrtLane)
SIM_UNARY2(vrec, Reciprocal, ReciprocalLane)
SIM_UNARY_OF(vnot, Not, NotLane, int16_t)
SIM_UNARY_OF(vnot, Not, NotLane, uint16_t)

// --- a source and a scalar
#define SIM_SCALAR_OF(name, api, Lane, T)                                                               \
  template <>                                                                                           \
  void name(T *dst, T *src, T scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                       \
    Unary(#api, WithScalar<Lane, T>{{}, scalar}, InUb(dst), InUb(src),                                  \
          ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}),    \
          Unplaced());                                                                                  \
  }
#define SIM_SCALAR2(name, api, Lane)   \
  SIM_SCALAR_OF(name, api, Lane, half) \
  SIM_SCALAR_OF(name, api, Lane, float)
#define SIM_SCALAR4(name, api, Lane)      \
  SIM_SCALAR2(name, api, Lane)            \
  SIM_SCALAR_OF(name, api, Lane, int16_t) \
  SIM_SCALAR_OF(name, api, Lane, int32_t)
SIM_SCALAR4(vadds, Adds, AddLane)
SIM_SCALAR4(vmuls, Muls, MulLane)
SIM_SCALAR4(vmaxs, Maxs, MaxLane)
SIM_SCALAR4(vmins, Mins, MinLane)
SIM_SCALAR2(vlrelu, LeakyRelu, LeakyReluLane)

#define SIM_AXPY(D, S)                                                                                   \
  template <>                                                                                            \
  void vaxpy(D *dst, S *src, S scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, \
             uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                       \
    Axpy(InUb(dst), InUb(src), scalar,                                                                   \
         ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}),      \
         Unplaced());                                                                                    \
  }
SIM_AXPY(half, half)
SIM_AXPY(float, float)
SIM_AXPY(float, half)

#define SIM_SHIFTS(T)                                                                                  \
  template <>                                                                                          \
  void vshl(T *dst, T *src, int64_t distance, uint8_t repeat, uint16_t dstBlockStride,                 \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride) {             \
    Shift("ShiftLeft", ShiftLeftLane(), distance, InUb(dst), InUb(src),                                \
          ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}),   \
          Unplaced());                                                                                 \
  }                                                                                                    \
  template <>                                                                                          \
  void vshr(T *dst, T *src, int64_t distance, uint8_t repeat, uint16_t dstBlockStride,                 \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride, bool round) { \
    Shift("ShiftRight", ShiftRightLane{round}, distance, InUb(dst), InUb(src),                         \
          ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}),   \
          Unplaced());                                                                                 \
  }
SIM_SHIFTS(int16_t)
SIM_SHIFTS(uint16_t)
SIM_SHIFTS(int32_t)
SIM_SHIFTS(uint32_t)

// --- no source
#define SIM_DUPLICATE(T)                                                                              \
  template <>                                                                                         \
  void vector_dup(T *dst, T scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t,                \
                  uint16_t dstRepeatStride, uint16_t) {                                               \
    Duplicate(InUb(dst), scalar, ByRegisters(repeat, {dstBlockStride, dstRepeatStride}), Unplaced()); \
  }
SIM_DUPLICATE(half)
SIM_DUPLICATE(bfloat16_t)
SIM_DUPLICATE(float)
SIM_DUPLICATE(int16_t)
SIM_DUPLICATE(uint16_t)
SIM_DUPLICATE(int32_t)
SIM_DUPLICATE(uint32_t)
