// SPDX-License-Identifier: Apache-2.0
// Vector instructions with one source tensor.
#pragma once

#include "kernel_struct_unary.h"
#include "sim/lane_functions.h"
#include "sim/vector_op.h"

namespace sim {

template <typename M>
Level0<M> UnaryLevel0(bool set, M mask, uint8_t repeat, const AscendC::UnaryRepeatParams &p) {
  return {set,
          mask,
          repeat,
          {Strides{p.dstBlkStride, p.dstRepStride}, Strides{p.srcBlkStride, p.srcRepStride}, {}}};
}

}  // namespace sim

namespace AscendC {

// The form of an instruction that has a mask: an array of bits, or a number of lanes.
#define SIM_MASKED(Name, Mask, Lane, ...)                                                                 \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask,                 \
                              const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,            \
                              sim::Where where = sim::Where::Here()) {                                    \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");         \
    sim::Unary(#Name, sim::Lane(), dst, src, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), \
               where);                                                                                    \
  }

// One line for each instruction: name, class, lane function, the element types of Atlas A2, and the type of
// `count`.
#define SIM_UNARY(Name, Lane, ...)                                                                        \
  SIM_MASKED(Name, uint64_t mask[], Lane, __VA_ARGS__)                                                    \
  SIM_MASKED(Name, uint64_t mask, Lane, __VA_ARGS__)                                                      \
  template <typename T>                                                                                   \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count, \
                              sim::Where where = sim::Where::Here()) {                                    \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");         \
    sim::Unary(#Name, sim::Lane(), dst, src, sim::Level2{count}, where);                                  \
  }

SIM_UNARY(Relu, ReluLane, half, float, int32_t)
SIM_UNARY(Abs, AbsLane, half, float)
SIM_UNARY(Exp, ExpLane, half, float)
SIM_UNARY(Ln, LnLane, half, float)
SIM_UNARY(Sqrt, SqrtLane, half, float)
// The device approximates these two. Here they are exact but for one rounding.
SIM_UNARY(Rsqrt, RsqrtLane, half, float)
SIM_UNARY(Reciprocal, ReciprocalLane, half, float)
#undef SIM_UNARY
#undef SIM_MASKED

// Works on 16-bit lanes, like And and Or.
template <typename T, bool isSetMask = true>
__aicore__ inline void Not(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[],
                           const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,
                           sim::Where where = sim::Where::Here()) {
  static_assert(sim::kOneOf<T, int16_t, uint16_t>, "Not: element type not available on Atlas A2");
  sim::Unary("Not", sim::NotLane(), dst, src, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams),
             where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Not(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,
                           const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,
                           sim::Where where = sim::Where::Here()) {
  static_assert(sim::kOneOf<T, int16_t, uint16_t>, "Not: element type not available on Atlas A2");
  sim::Unary("Not", sim::NotLane(), dst, src, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams),
             where);
}
template <typename T>
__aicore__ inline void Not(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,
                           sim::Where where = sim::Where::Here()) {
  sim::Unary("Not", sim::NotLane(), sim::As<uint16_t>(dst), sim::As<uint16_t>(src), sim::Level2{count},
             where);
}

}  // namespace AscendC
