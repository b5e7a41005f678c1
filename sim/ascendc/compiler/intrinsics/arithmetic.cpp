// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "arithmetic.h"

#include "../../include/sim/lane_functions.h"

using namespace sim;

#define SIM_BINARY_OF(name, api, Lane, T)                                                                       \
  template <>                                                                                                   \
  void name(T *dst, T *src0, T *src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride,          \
            uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride) { \
    Binary(#api, Lane(), InUb(dst), InUb(src0), InUb(src1),                                                     \
           ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {src0BlockStride, src0RepeatStride},          \
                       {src1BlockStride, src1RepeatStride}),                                                    \
           Unplaced());                                                                                         \
  }
#define SIM_BINARY4(name, api, Lane)       \
  SIM_BINARY_OF(name, api, Lane, half)     \
  SIM_BINARY_OF(name, api, Lane, float)    \
  SIM_BINARY_OF(name, api, Lane, int16_t)  \
  SIM_BINARY_OF(name, api, Lane, int32_t)
SIM_BINARY4(vadd, Add, AddLane)
SIM_BINARY4(vsub, Sub, SubLane)
SIM_BINARY4(vmul, Mul, MulLane)
SIM_BINARY4(vmax, Max, MaxLane)
SIM_BINARY4(vmin, Min, MinLane)
SIM_BINARY_OF(vdiv, Div, DivLane, half)
SIM_BINARY_OF(vdiv, Div, DivLane, float)
SIM_BINARY_OF(vand, And, AndLane, int16_t)
SIM_BINARY_OF(vand, And, AndLane, uint16_t)
SIM_BINARY_OF(vor, Or, OrLane, int16_t)
SIM_BINARY_OF(vor, Or, OrLane, uint16_t)
