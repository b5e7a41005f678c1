// SPDX-License-Identifier: Apache-2.0
// Intrinsics that compute lane by lane. The first buffer is dst.
#include "intrinsic_case.h"

namespace {

#define BINARY(name, ...)                                     \
  {#name, [](Case &c) {                                       \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) {           \
       using T = decltype(type);                              \
       SetMasks(c);                                           \
       name(Ub<T>(c, 0), Ub<T>(c, 1), Ub<T>(c, 2), STRIDES3); \
     });                                                      \
   }}
#define UNARY(name, ...)                            \
  {#name, [](Case &c) {                             \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) { \
       using T = decltype(type);                    \
       SetMasks(c);                                 \
       name(Ub<T>(c, 0), Ub<T>(c, 1), STRIDES2);    \
     });                                            \
   }}
// The scalar is passed as double: the pointers alone decide the type of lanes.
#define SCALAR(name, ...)                                    \
  {#name, [](Case &c) {                                      \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) {          \
       using T = decltype(type);                             \
       SetMasks(c);                                          \
       name(Ub<T>(c, 0), Ub<T>(c, 1), c.Float(0), STRIDES2); \
     });                                                     \
   }}

template <typename D, typename S>
void MulAddDst(Case &c) {
  SetMasks(c);
  vmla(Ub<D>(c, 0), Ub<S>(c, 1), Ub<S>(c, 2), STRIDES3);
}
template <typename D, typename S>
void Axpy(Case &c) {
  SetMasks(c);
  vaxpy(Ub<D>(c, 0), Ub<S>(c, 1), c.Float(0), STRIDES2);
}

const Register entries{
    BINARY(vadd, half, float, int16_t, int32_t),
    BINARY(vmin, half, float, int16_t, int32_t),
    BINARY(vaddrelu, half, float, int16_t),
    BINARY(vsubrelu, half, float, int16_t),
    BINARY(vmadd, half, float),
    BINARY(vmaddrelu, half, float),
    BINARY(vor, int16_t, uint16_t),
    UNARY(vabs, half, float),
    UNARY(vrelu, half, float, int32_t),
    UNARY(vnot, int16_t, uint16_t),
    UNARY(vsqrt, half, float),
    SCALAR(vadds, half, float, int16_t, int32_t),
    SCALAR(vmuls, half, float, int16_t, int32_t),
    SCALAR(vmaxs, half, float, int16_t, int32_t),
    SCALAR(vmins, half, float, int16_t, int32_t),
    SCALAR(vlrelu, half, float),
    SCALAR(vshl, int16_t, uint16_t, int32_t, uint32_t),
    {"vmaxs_flags",
     [](Case &c) {
       SetMasks(c);
       vmaxs(Ub<float>(c, 0), Ub<float>(c, 1), c.Float(0), STRIDES2, false, false);
     }},
    {"vshr",
     [](Case &c) {
       ForType<int16_t, uint16_t, int32_t, uint32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         SetMasks(c);
         vshr(Ub<T>(c, 0), Ub<T>(c, 1), c.Float(0), STRIDES2, c.Float(1) != 0);
       });
     }},
    {"vector_dup",
     [](Case &c) {
       ForType<half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         SetMasks(c);
         vector_dup(Ub<T>(c, 0), c.Float(0), STRIDES2);
       });
     }},
    {"vmla_mixed", MulAddDst<float, half>},
    {"vmla", MulAddDst<float, float>},
    {"vaxpy_mixed", Axpy<float, half>},
    {"vaxpy", Axpy<half, half>},
};

}  // namespace
