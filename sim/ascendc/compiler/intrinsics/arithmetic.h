// SPDX-License-Identifier: Apache-2.0
// Vector instructions that compute lane by lane. The mask registers say which lanes compute; `repeat` counts
// blocks of 256 bytes; strides count data blocks of 32 bytes.
#pragma once

#include <type_traits>

#include "../element_types.h"
#include "../keywords.h"

namespace sim {

// A scalar argument for lanes of T. The pointers decide what T is, and an argument of another type is
// converted to it.
template <typename T>
using ScalarFor = std::common_type_t<T>;

}  // namespace sim

// dst = function(src0, src1), and where dst is an input too, dst = function(dst, src0, src1)
#define SIM_BINARY(name)                                                                                 \
  template <typename D, typename S>                                                                      \
  void name(__ubuf__ D *dst, __ubuf__ S *src0, __ubuf__ S *src1, uint8_t repeat, uint8_t dstBlockStride, \
            uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,                   \
            uint8_t src0RepeatStride, uint8_t src1RepeatStride);
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
SIM_BINARY(vmla)       // src0 * src1 + dst
SIM_BINARY(vmadd)      // src0 * dst + src1
SIM_BINARY(vmaddrelu)  // the relu of that
#undef SIM_BINARY

// dst = function(src)
#define SIM_UNARY(name)                                                                \
  template <typename T>                                                                \
  void name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstBlockStride, \
            uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
SIM_UNARY(vabs)
SIM_UNARY(vexp)
SIM_UNARY(vln)
SIM_UNARY(vrelu)
SIM_UNARY(vsqrt)
SIM_UNARY(vrsqrt)
SIM_UNARY(vrec)
SIM_UNARY(vnot)
#undef SIM_UNARY

// dst = function(src, scalar). The two flags at the end would give strides another meaning; CANN's headers
// leave both false.
#define SIM_SCALAR(name)                                                                              \
  template <typename T>                                                                               \
  void name(__ubuf__ T *dst, __ubuf__ T *src, sim::ScalarFor<T> scalar, uint8_t repeat,               \
            uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,               \
            uint16_t srcRepeatStride);                                                                \
  template <typename T>                                                                               \
  inline void name(__ubuf__ T *dst, __ubuf__ T *src, sim::ScalarFor<T> scalar, uint8_t repeat,        \
                   uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,        \
                   uint16_t srcRepeatStride, bool, bool) {                                            \
    name(dst, src, scalar, repeat, dstBlockStride, srcBlockStride, dstRepeatStride, srcRepeatStride); \
  }
SIM_SCALAR(vadds)
SIM_SCALAR(vmuls)
SIM_SCALAR(vmaxs)
SIM_SCALAR(vmins)
SIM_SCALAR(vlrelu)
#undef SIM_SCALAR

// dst = src * scalar + dst; src may be half where dst is float.
template <typename D, typename S>
void vaxpy(__ubuf__ D *dst, __ubuf__ S *src, sim::ScalarFor<S> scalar, uint8_t repeat,
           uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,
           uint16_t srcRepeatStride);

// Shifts by `distance` bits. With `round` a shift to the right adds the last bit that it moves out.
template <typename T>
void vshl(__ubuf__ T *dst, __ubuf__ T *src, int64_t distance, uint8_t repeat, uint16_t dstBlockStride,
          uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
template <typename T>
void vshr(__ubuf__ T *dst, __ubuf__ T *src, int64_t distance, uint8_t repeat, uint16_t dstBlockStride,
          uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride, bool round);

// dst = scalar. There is no source, and its strides have no meaning.
template <typename T>
void vector_dup(__ubuf__ T *dst, sim::ScalarFor<T> scalar, uint8_t repeat, uint16_t dstBlockStride,
                uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride);
