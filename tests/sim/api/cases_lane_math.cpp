// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API that work element by element, with work memory and without.
#include "adv_cases.h"

using namespace AscendC;

namespace {

#define UNARY(Name)                                                                     \
  {#Name, [](Case &c) {                                                                 \
     ForType<half, float>(c.dtype, [&](auto type) {                                     \
       using T = decltype(type);                                                        \
       const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);                           \
       WithWork(c, 2, [&](const auto &...rest) { Name<T, false>(dst, src, rest...); }); \
     });                                                                                \
   }}

#define LOGARITHM(Name)                                          \
  {#Name, [](Case &c) {                                          \
     ForType<half, float>(c.dtype, [&](auto type) {              \
       using T = decltype(type);                                 \
       Name(c.Tensor<T>(0), c.Tensor<T>(1), (uint32_t)c.Int(0)); \
     });                                                         \
   }}

const Register table{
    UNARY(Sin),
    UNARY(Cos),
    UNARY(Tan),
    UNARY(Asin),
    UNARY(Acos),
    UNARY(Atan),
    UNARY(Sinh),
    UNARY(Cosh),
    UNARY(Tanh),
    UNARY(Asinh),
    UNARY(Acosh),
    UNARY(Atanh),
    UNARY(Erf),
    UNARY(Erfc),
    UNARY(Frac),
    UNARY(Sign),
    UNARY(Log2),
    LOGARITHM(Log),
    LOGARITHM(Log10),
    {"SinReuse",
     [](Case &c) { Sin<float, true>(c.Tensor<float>(0), c.Tensor<float>(1), c.Tensor<uint8_t>(2)); }},
    {"AtanInPlace", [](Case &c) { Atan(c.Tensor<float>(0), c.Tensor<float>(0), c.Tensor<uint8_t>(1)); }},
    {"SinInPlace", [](Case &c) { Sin(c.Tensor<float>(0), c.Tensor<float>(0), c.Tensor<uint8_t>(1)); }},
    {"LogInPlace", [](Case &c) { Log(c.Tensor<float>(0), c.Tensor<float>(0), (uint32_t)c.Int(0)); }},
    {"ExpBySeries",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Exp<T, 15>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), (uint32_t)c.Int(0));
       });
     }},
    {"Fmod",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(3);
         WithWork(c, 2, [&](const auto &...rest) { Fmod(dst, src0, src1, rest...); });
       });
     }},
    {"Power",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(3);
         WithWork(c, 2, [&](const auto &...rest) { Power(dst, src0, src1, rest...); });
       });
     }},
    {"PowerOfScalars",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto src = c.Tensor<T>(3);
         const T scalar = static_cast<T>(c.Float(0));
         WithWork(c, 2, [&](const auto &...rest) { Power(c.Tensor<T>(0), src, scalar, rest...); });
         PipeBarrier<PIPE_V>();
         WithWork(c, 2, [&](const auto &...rest) { Power(c.Tensor<T>(1), scalar, src, rest...); });
       });
     }},
    {"Clamps",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto src = c.Tensor<T>(2);
         ClampMax(c.Tensor<T>(0), src, c.Tensor<uint8_t>(3), static_cast<T>(c.Float(0)), (uint32_t)c.Int(0));
         ClampMin(c.Tensor<T>(1), src, c.Tensor<uint8_t>(3), static_cast<T>(c.Float(1)), (uint32_t)c.Int(0));
       });
     }},
    {"Xor",
     [](Case &c) {
       ForType<int16_t, uint16_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(3);
         WithWork(c, 2, [&](const auto &...rest) { Xor(dst, src0, src1, rest...); });
       });
     }},
    {"AxpyInWork",
     [](Case &c) {
       Axpy(c.Tensor<half>(0), c.Tensor<half>(1), static_cast<half>(c.Float(0)), c.Tensor<uint8_t>(2),
            (uint32_t)c.Int(0));
     }},
#ifndef SIM_CANN_HEADERS
// The sizes of work memory that the host functions name. ints: elements; results: most and least.
#define WORK(Name)                                                                                     \
  {                                                                                                    \
    "Work" #Name, [](Case &c) {                                                                        \
      uint32_t most = 0, least = 0;                                                                    \
      Get##Name##MaxMinTmpSize(HostShape{c.Int(0)}, c.dtype == "float16" ? 2 : 4, false, most, least); \
      c.Tensor<int32_t>(0).SetValue(0, static_cast<int32_t>(most));                                    \
      c.Tensor<int32_t>(0).SetValue(1, static_cast<int32_t>(least));                                   \
    }                                                                                                  \
  }
    WORK(Sin),
    WORK(Cos),
    WORK(Tan),
    WORK(Asin),
    WORK(Acos),
    WORK(Atan),
    WORK(Sinh),
    WORK(Cosh),
    WORK(Tanh),
    WORK(Asinh),
    WORK(Acosh),
    WORK(Atanh),
    WORK(Erf),
    WORK(Erfc),
    WORK(Frac),
    WORK(Sign),
    WORK(Log2),
    WORK(Exp),
    WORK(Fmod),
    WORK(Xor),
    WORK(Axpy),
#endif
};

}  // namespace
