// SPDX-License-Identifier: Apache-2.0
// Vector instructions with two source tensors.
#pragma once

#include "kernel_struct_binary.h"
#include "sim/lane_functions.h"
#include "sim/vector_op.h"

namespace sim {

template <typename M>
Level0<M> BinaryLevel0(bool set, M mask, uint8_t repeat, const AscendC::BinaryRepeatParams &p) {
  return {set,
          mask,
          repeat,
          {Strides{p.dstBlkStride, p.dstRepStride}, Strides{p.src0BlkStride, p.src0RepStride},
           Strides{p.src1BlkStride, p.src1RepStride}}};
}

}  // namespace sim

namespace AscendC {

// The form of an instruction that has a mask: an array of bits, or a number of lanes.
#define SIM_MASKED(Name, Mask, Run, Lane, Condition)                                                     \
  template <typename T, bool isSetMask = true>                                                           \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                     \
                              const LocalTensor<T> &src1, Mask, const uint8_t repeatTime,                \
                              const BinaryRepeatParams &repeatParams,                                    \
                              sim::Where where = sim::Where::Here()) {                                   \
    static_assert(Condition, #Name ": element type not available on Atlas A2");                          \
    sim::Run(#Name, Lane, dst, src0, src1, sim::BinaryLevel0(isSetMask, mask, repeatTime, repeatParams), \
             where);                                                                                     \
  }

// One line for each instruction: name, class, lane function, and the element types of Atlas A2.
#define SIM_BINARY(Name, Lane, ...)                                                               \
  SIM_MASKED(Name, uint64_t mask[], Binary, Lane(), (sim::kOneOf<T, __VA_ARGS__>))                \
  SIM_MASKED(Name, uint64_t mask, Binary, Lane(), (sim::kOneOf<T, __VA_ARGS__>))                  \
  template <typename T>                                                                           \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,              \
                              const LocalTensor<T> &src1, const int32_t &count,                   \
                              sim::Where where = sim::Where::Here()) {                            \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2"); \
    sim::Binary(#Name, Lane(), dst, src0, src1, sim::Level2{count}, where);                       \
  }

SIM_BINARY(Add, sim::AddLane, half, float, int16_t, int32_t)
SIM_BINARY(Sub, sim::SubLane, half, float, int16_t, int32_t)
SIM_BINARY(Mul, sim::MulLane, half, float, int16_t, int32_t)
SIM_BINARY(Div, sim::DivLane, half, float)
SIM_BINARY(Max, sim::MaxLane, half, float, int16_t, int32_t)
SIM_BINARY(Min, sim::MinLane, half, float, int16_t, int32_t)
SIM_BINARY(AddRelu, sim::ThenRelu<sim::AddLane>, half, float, int16_t)
SIM_BINARY(SubRelu, sim::ThenRelu<sim::SubLane>, half, float, int16_t)
#undef SIM_BINARY

// Logic works on 16-bit lanes. The functions by count also take other types; `count` then counts 16-bit
// lanes.
#define SIM_LOGIC(Name, Lane)                                                                 \
  SIM_MASKED(Name, uint64_t mask[], Binary, sim::Lane(), (sim::kOneOf<T, int16_t, uint16_t>)) \
  SIM_MASKED(Name, uint64_t mask, Binary, sim::Lane(), (sim::kOneOf<T, int16_t, uint16_t>))   \
  template <typename T>                                                                       \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,          \
                              const LocalTensor<T> &src1, const int32_t &count,               \
                              sim::Where where = sim::Where::Here()) {                        \
    sim::Binary(#Name, sim::Lane(), sim::As<uint16_t>(dst), sim::As<uint16_t>(src0),          \
                sim::As<uint16_t>(src1), sim::Level2{count}, where);                          \
  }

SIM_LOGIC(And, AndLane)
SIM_LOGIC(Or, OrLane)
#undef SIM_LOGIC

// dst = src0 * src1 + dst; the sources may be half where dst is float.
#define SIM_MUL_ADD_DST(Mask)                                                                     \
  template <typename T, typename U, bool isSetMask = true>                                        \
  __aicore__ inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,         \
                                   const LocalTensor<U> &src1, Mask, const uint8_t repeatTime,    \
                                   const BinaryRepeatParams &repeatParams,                        \
                                   sim::Where where = sim::Where::Here()) {                       \
    static_assert(sim::kMulAddTypes<T, U>, "MulAddDst: element types not available on Atlas A2"); \
    sim::Accumulate("MulAddDst", sim::MulAddLane<T>(), dst, src0, src1,                           \
                    sim::BinaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);         \
  }
SIM_MUL_ADD_DST(const uint64_t mask[])
SIM_MUL_ADD_DST(uint64_t mask)
#undef SIM_MUL_ADD_DST

template <typename T, typename U>
__aicore__ inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                                 const LocalTensor<U> &src1, const int32_t &count,
                                 sim::Where where = sim::Where::Here()) {
  static_assert(sim::kMulAddTypes<T, U>, "MulAddDst: element types not available on Atlas A2");
  sim::Accumulate("MulAddDst", sim::MulAddLane<T>(), dst, src0, src1, sim::Level2{count}, where);
}

// dst = src0 * dst + src1, and the relu of that.
#define SIM_FUSED(Name, Lane)                                                                     \
  SIM_MASKED(Name, uint64_t mask[], Accumulate, sim::Lane<T>(), (sim::kOneOf<T, half, float>))    \
  SIM_MASKED(Name, uint64_t mask, Accumulate, sim::Lane<T>(), (sim::kOneOf<T, half, float>))      \
  template <typename T>                                                                           \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,              \
                              const LocalTensor<T> &src1, const int32_t &count,                   \
                              sim::Where where = sim::Where::Here()) {                            \
    static_assert(sim::kOneOf<T, half, float>, #Name ": element type not available on Atlas A2"); \
    sim::Accumulate(#Name, sim::Lane<T>(), dst, src0, src1, sim::Level2{count}, where);           \
  }

SIM_FUSED(FusedMulAdd, FusedLane)
SIM_FUSED(FusedMulAddRelu, FusedReluLane)
SIM_FUSED(MulAddRelu, FusedReluLane)
#undef SIM_FUSED
#undef SIM_MASKED

}  // namespace AscendC
