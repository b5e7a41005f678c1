// SPDX-License-Identifier: Apache-2.0
// Conversions between element types. The first buffer is dst, the second one src.
#include "intrinsic_case.h"

namespace {

#define CONVERSION(name, D, S, mode)           \
  {#name, [](Case &c) {                        \
     SetMasks(c);                              \
     name(Ub<D>(c, 0), Ub<S>(c, 1), STRIDES2); \
   }},
#define COMPUTED(name, D, S)                                \
  {#name, [](Case &c) {                                     \
     SetMasks(c);                                           \
     name(Ub<D>(c, 0), Ub<S>(c, 1), Ub<S>(c, 2), STRIDES3); \
   }}
// DEQSCALE holds floats[0] as half, or with three numbers a scale, an offset and the sign of the result.
#define DEQUANTISATION(name)                                                                        \
  {#name, [](Case &c) {                                                                             \
     const uint64_t scale = __builtin_bit_cast(uint32_t, static_cast<float>(c.Float(0)));           \
     const auto offset = static_cast<uint64_t>(c.Float(1)) & 0x1FF;                                 \
     set_deqscale(scale | offset << 37 | static_cast<uint64_t>(c.Float(2)) << 46);                  \
     if (c.buffers.size() > 2) set_deqscale(c.buffers[2].address >> 5);                             \
     SetMasks(c);                                                                                   \
     ForType<int8_t, uint8_t>(                                                                      \
         c.dtype, [&](auto type) { name(Ub<decltype(type)>(c, 0), Ub<int16_t>(c, 1), STRIDES2); }); \
   }}

const Register entries{
    SIM_CONVERSIONS(CONVERSION) SIM_SIX_DIRECTIONS(CONVERSION, vconv_f162s4, void, half) CONVERSION(
        vconv_s42f16, half, void, CAST_NONE){"vconv_deq_scaled",
                                             [](Case &c) {
                                               set_deqscale(static_cast<half>(c.Float(0)));
                                               SetMasks(c);
                                               vconv_deq(Ub<half>(c, 0), Ub<int32_t>(c, 1), STRIDES2);
                                             }},
    COMPUTED(vaddreluconv_f162s8, int8_t, half),
    COMPUTED(vaddreluconv_f322f16, half, float),
    COMPUTED(vsubreluconv_s162s8, int8_t, int16_t),
    COMPUTED(vmulconv_f162u8, uint8_t, half),
    DEQUANTISATION(vconv_deqs162b8h),
    DEQUANTISATION(vconv_deqs162b8l),
    DEQUANTISATION(vconv_vdeqs162b8h),
    DEQUANTISATION(vconv_vdeqs162b8l),
};

}  // namespace
