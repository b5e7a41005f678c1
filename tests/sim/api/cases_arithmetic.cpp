// SPDX-License-Identifier: Apache-2.0
// Instructions that work lane by lane: with one source, two sources, or a scalar; each in its three forms.
#include "case.h"

using namespace AscendC;

namespace {

#define FORMS(call, params)                                    \
  uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)}; \
  if (c.form == 2) {                                           \
    call((int32_t)c.Int(0));                                   \
  } else if (c.form == 0) {                                    \
    call((uint64_t)c.Int(0), (uint8_t)c.Int(2), c.params());   \
  } else {                                                     \
    call(bits, (uint8_t)c.Int(2), c.params());                 \
  }

#define BINARY(Name, ...)                                                       \
  {#Name, [](Case &c) {                                                         \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) {                             \
       using T = decltype(type);                                                \
       auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(2); \
       auto call = [&](auto... rest) { Name(dst, src0, src1, rest...); };       \
       FORMS(call, BinaryParams)                                                \
     });                                                                        \
   }}
#define UNARY(Name, ...)                                           \
  {#Name, [](Case &c) {                                            \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) {                \
       using T = decltype(type);                                   \
       auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);            \
       auto call = [&](auto... rest) { Name(dst, src, rest...); }; \
       FORMS(call, UnaryParams)                                    \
     });                                                           \
   }}
#define SCALAR(Name, ...)                                                                      \
  {#Name, [](Case &c) {                                                                        \
     ForType<__VA_ARGS__>(c.dtype, [&](auto type) {                                            \
       using T = decltype(type);                                                               \
       auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);                                        \
       auto call = [&](auto... rest) { Name(dst, src, static_cast<T>(c.Float(0)), rest...); }; \
       FORMS(call, UnaryParams)                                                                \
     });                                                                                       \
   }}

template <typename T, typename U>
void MulAddDstCase(Case &c) {
  auto dst = c.Tensor<T>(0);
  auto src0 = c.Tensor<U>(1), src1 = c.Tensor<U>(2);
  auto call = [&](auto... rest) { MulAddDst(dst, src0, src1, rest...); };
  FORMS(call, BinaryParams)
}
template <typename T, typename U>
void AxpyCase(Case &c) {
  auto dst = c.Tensor<T>(0);
  auto src = c.Tensor<U>(1);
  auto call = [&](auto... rest) { Axpy(dst, src, static_cast<U>(c.Float(0)), rest...); };
  FORMS(call, UnaryParams)
}

void ByPair(Case &c, void (*same_float)(Case &), void (*same_half)(Case &), void (*mixed)(Case &)) {
  (c.dtype == "float16" ? same_half : c.dtype2 == "float16" ? mixed : same_float)(c);
}

const Register table{
    BINARY(Add, half, float, int16_t, int32_t),
    BINARY(Sub, half, float, int16_t, int32_t),
    BINARY(Mul, half, float, int16_t, int32_t),
    BINARY(Div, half, float),
    BINARY(Max, half, float, int16_t, int32_t),
    BINARY(Min, half, float, int16_t, int32_t),
    BINARY(AddRelu, half, float, int16_t),
    BINARY(SubRelu, half, float, int16_t),
    BINARY(And, int16_t, uint16_t),
    BINARY(Or, int16_t, uint16_t),
    BINARY(FusedMulAdd, half, float),
    BINARY(FusedMulAddRelu, half, float),
#if !SIM_OLDER_API
    BINARY(MulAddRelu, half, float),
#endif
    UNARY(Relu, half, float, int32_t),
    UNARY(Abs, half, float),
    UNARY(Exp, half, float),
    UNARY(Ln, half, float),
    UNARY(Sqrt, half, float),
    UNARY(Rsqrt, half, float),
    UNARY(Reciprocal, half, float),
    UNARY(Not, int16_t, uint16_t),
    SCALAR(Adds, half, float, int16_t, int32_t),
    SCALAR(Muls, half, float, int16_t, int32_t),
    SCALAR(Maxs, half, float, int16_t, int32_t),
    SCALAR(Mins, half, float, int16_t, int32_t),
    SCALAR(LeakyRelu, half, float),
    SCALAR(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t),
    SCALAR(ShiftRight, int16_t, uint16_t, int32_t, uint32_t),
    {"And32",
     [](Case &c) {
       And(c.Tensor<int32_t>(0), c.Tensor<int32_t>(1), c.Tensor<int32_t>(2), (int32_t)c.Int(0));
     }},
    {"ShiftRightRounded",
     [](Case &c) {
       ShiftRight(c.Tensor<int32_t>(0), c.Tensor<int32_t>(1), static_cast<int32_t>(c.Float(0)),
                  (uint64_t)c.Int(0), (uint8_t)c.Int(2), c.UnaryParams(), true);
     }},
    {"MulAddDst",
     [](Case &c) {
       ByPair(c, MulAddDstCase<float, float>, MulAddDstCase<half, half>, MulAddDstCase<float, half>);
     }},
    {"Axpy", [](Case &c) { ByPair(c, AxpyCase<float, float>, AxpyCase<half, half>, AxpyCase<float, half>); }},
    {"AddOuterMask",
     [](Case &c) {
       SetVectorMask<float>(0, (uint64_t)c.Int(0));
       Add<float, false>(c.Tensor<float>(0), c.Tensor<float>(1), c.Tensor<float>(2), MASK_PLACEHOLDER,
                         (uint8_t)c.Int(2), c.BinaryParams());
       ResetMask();
     }},
    {"AddCounter",
     [](Case &c) {
       SetMaskCount();
       Add(c.Tensor<float>(0), c.Tensor<float>(1), c.Tensor<float>(2), (uint64_t)c.Int(0), 1,
           c.BinaryParams());
       SetMaskNorm();
     }},
    {"Duplicate",
     [](Case &c) {
       ForType<half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
         const T value = static_cast<T>(c.Float(0));
         if (c.form == 2) {
           Duplicate(c.Tensor<T>(0), value, (int32_t)c.Int(0));
         } else if (c.form == 0) {
           Duplicate(c.Tensor<T>(0), value, (uint64_t)c.Int(0), (uint8_t)c.Int(2), (uint16_t)c.Int(3),
                     (uint8_t)c.Int(5));
         } else {
           Duplicate(c.Tensor<T>(0), value, bits, (uint8_t)c.Int(2), (uint16_t)c.Int(3), (uint8_t)c.Int(5));
         }
       });
     }},
    {"CreateVecIndex",
     [](Case &c) {
       ForType<half, float, int16_t, int32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         auto dst = c.Tensor<T>(0);
         uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
         const T first = static_cast<T>(c.Float(0));
         if (c.form == 2) {
           CreateVecIndex(dst, first, (uint32_t)c.Int(0));
         } else if (c.form == 0) {
           CreateVecIndex(dst, first, (uint64_t)c.Int(0), (uint8_t)c.Int(2), (uint16_t)c.Int(3),
                          (uint8_t)c.Int(5));
         } else {
           CreateVecIndex(dst, first, bits, (uint8_t)c.Int(2), (uint16_t)c.Int(3), (uint8_t)c.Int(5));
         }
       });
     }},
#if !SIM_OLDER_API
    {"Arange",
     [](Case &c) {
       ForType<half, float, int16_t, int32_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Arange(c.Tensor<T>(0), static_cast<T>(c.Float(0)), static_cast<T>(c.Float(1)), (int32_t)c.Int(0));
         ArithProgression(c.Tensor<T>(1), static_cast<T>(c.Float(0)), static_cast<T>(c.Float(1)),
                          (int32_t)c.Int(0));
       });
     }},
#endif
};

}  // namespace
