// SPDX-License-Identifier: Apache-2.0
// Activation functions of the high-level API.
#include "adv_cases.h"

using namespace AscendC;

namespace {

#define UNARY(Name)                                                              \
  {#Name, [](Case &c) {                                                          \
     ForType<half, float>(c.dtype, [&](auto type) {                              \
       using T = decltype(type);                                                 \
       const auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);                    \
       WithWork(c, 2, [&](const auto &...rest) { Name<T>(dst, src, rest...); }); \
     });                                                                         \
   }}
// Functions that always take a count.
#define COUNTED(Name)                                                                     \
  {#Name, [](Case &c) {                                                                   \
     ForType<half, float>(c.dtype, [&](auto type) {                                       \
       using T = decltype(type);                                                          \
       Name<T>(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<uint8_t>(2), (uint32_t)c.Int(0)); \
     });                                                                                  \
   }}
#define GATED(Name)                                                                   \
  {#Name, [](Case &c) {                                                               \
     ForType<half, float>(c.dtype, [&](auto type) {                                   \
       using T = decltype(type);                                                      \
       const auto dst = c.Tensor<T>(0), src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(3); \
       Name<T>(dst, src0, src1, c.Tensor<uint8_t>(2), (uint32_t)c.Int(0));            \
     });                                                                              \
   }}

const Register table{
    UNARY(Sigmoid),
    COUNTED(Gelu),
    COUNTED(FasterGelu),
    COUNTED(FasterGeluV2),
    {"Silu",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Silu<T>(c.Tensor<T>(0), c.Tensor<T>(1), (uint32_t)c.Int(0));
       });
     }},
    {"Swish",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         Swish<T>(c.Tensor<T>(0), c.Tensor<T>(1), (uint32_t)c.Int(0), static_cast<T>(1.5f));
       });
     }},
    GATED(GeGLU),
    GATED(ReGlu),
    {"SwiGLU",
     [](Case &c) {
       ForType<half, float>(c.dtype, [&](auto type) {
         using T = decltype(type);
         const auto src0 = c.Tensor<T>(1), src1 = c.Tensor<T>(3);
         auto dst = c.Tensor<T>(0);
         SwiGLU<T>(dst, src0, src1, 1.5f, c.Tensor<uint8_t>(2), (uint32_t)c.Int(0));
       });
     }},
};

}  // namespace
