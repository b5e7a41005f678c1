// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "conversions.h"

#include "../../include/sim/cast.h"
#include "../../include/sim/lane_functions.h"
#include "../../include/sim/packed_cast.h"

using namespace sim;

#define SIM_CONVERSION(name, D, S, mode)                                                            \
  void name(D *dst, S *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,       \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                   \
    Cast(InUb(dst), InUb(src), RoundMode::mode,                                                     \
         ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}), \
         Unplaced());                                                                               \
  }
SIM_CONVERSIONS(SIM_CONVERSION)

#define SIM_COMPUTED_CONVERSION(name, api, F, D, S)                                                    \
  void name(D *dst, S *src0, S *src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride, \
            uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,                \
            uint8_t src1RepeatStride, bool) {                                                          \
    Binary(#api, ThenCast<D, S, F>(), InUb(dst), InUb(src0), InUb(src1),                               \
           ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {src0BlockStride, src0RepeatStride}, \
                       {src1BlockStride, src1RepeatStride}),                                           \
           Unplaced());                                                                                \
  }
SIM_COMPUTED_CONVERSION(vaddreluconv_f162s8, AddReluCast, ThenRelu<AddLane>, int8_t, half)
SIM_COMPUTED_CONVERSION(vaddreluconv_f322f16, AddReluCast, ThenRelu<AddLane>, half, float)
SIM_COMPUTED_CONVERSION(vaddreluconv_s162s8, AddReluCast, ThenRelu<AddLane>, int8_t, int16_t)
SIM_COMPUTED_CONVERSION(vsubreluconv_f162s8, SubReluCast, ThenRelu<SubLane>, int8_t, half)
SIM_COMPUTED_CONVERSION(vsubreluconv_f322f16, SubReluCast, ThenRelu<SubLane>, half, float)
SIM_COMPUTED_CONVERSION(vsubreluconv_s162s8, SubReluCast, ThenRelu<SubLane>, int8_t, int16_t)
SIM_COMPUTED_CONVERSION(vmulconv_f162s8, MulCast, MulLane, int8_t, half)
SIM_COMPUTED_CONVERSION(vmulconv_f162u8, MulCast, MulLane, uint8_t, half)

#define SIM_INT4_CONVERSION(name, D, S, mode)                                                      \
  void name(D *dst, S *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,      \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                  \
    CastToInt4<RoundMode::mode>(                                                                   \
        OnChip<uint8_t>(Space::UB, dst), InUb(src),                                                \
        ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}), \
        Unplaced());                                                                               \
  }
SIM_SIX_DIRECTIONS(SIM_INT4_CONVERSION, vconv_f162s4, void, half)

void vconv_s42f16(half *dst, void *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,
                  uint16_t dstRepeatStride, uint16_t srcRepeatStride) {
  CastFromInt4(InUb(dst), OnChip<uint8_t>(Space::UB, src),
               ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}),
               Unplaced());
}

#define SIM_DEQUANTISATION(name, by_lane, high_half, T)                                                    \
  template <>                                                                                              \
  void name(T *dst, int16_t *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,        \
            uint16_t dstRepeatStride, uint16_t srcRepeatStride) {                                          \
    CastDequant(InUb(dst), InUb(src), by_lane, high_half,                                                  \
                ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {srcBlockStride, srcRepeatStride}), \
                Unplaced());                                                                               \
  }
#define SIM_DEQUANTISATIONS(T)                          \
  SIM_DEQUANTISATION(vconv_deqs162b8h, false, true, T)  \
  SIM_DEQUANTISATION(vconv_deqs162b8l, false, false, T) \
  SIM_DEQUANTISATION(vconv_vdeqs162b8h, true, true, T)  \
  SIM_DEQUANTISATION(vconv_vdeqs162b8l, true, false, T)
SIM_DEQUANTISATIONS(int8_t)
SIM_DEQUANTISATIONS(uint8_t)
