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

// One line per instruction: name, class, lane function, element types that Atlas A2 has.
#define SIM_BINARY(Name, Class, Lane, ...)                                                                 \
  template <typename T, bool isSetMask = true>                                                             \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                       \
                              const LocalTensor<T> &src1, const uint64_t mask[], const uint8_t repeatTime, \
                              const BinaryRepeatParams &repeatParams,                                      \
                              sim::Where where = sim::Where::Here()) {                                     \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");          \
    sim::Binary(#Name, sim::VectorClass::Class, Lane(), dst, src0, src1,                                   \
                sim::BinaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                      \
  }                                                                                                        \
  template <typename T, bool isSetMask = true>                                                             \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                       \
                              const LocalTensor<T> &src1, uint64_t mask, const uint8_t repeatTime,         \
                              const BinaryRepeatParams &repeatParams,                                      \
                              sim::Where where = sim::Where::Here()) {                                     \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");          \
    sim::Binary(#Name, sim::VectorClass::Class, Lane(), dst, src0, src1,                                   \
                sim::BinaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                      \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                       \
                              const LocalTensor<T> &src1, const int32_t &count,                            \
                              sim::Where where = sim::Where::Here()) {                                     \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");          \
    sim::Binary(#Name, sim::VectorClass::Class, Lane(), dst, src0, src1, sim::Level2{count}, where);       \
  }

SIM_BINARY(Add, kSimple, sim::AddLane, half, float, int16_t, int32_t)
SIM_BINARY(Sub, kSimple, sim::SubLane, half, float, int16_t, int32_t)
SIM_BINARY(Mul, kMultiply, sim::MulLane, half, float, int16_t, int32_t)
SIM_BINARY(Div, kDivide, sim::DivLane, half, float)
SIM_BINARY(Max, kSimple, sim::MaxLane, half, float, int16_t, int32_t)
SIM_BINARY(Min, kSimple, sim::MinLane, half, float, int16_t, int32_t)
SIM_BINARY(AddRelu, kSimple, sim::ThenRelu<sim::AddLane>, half, float, int16_t)
SIM_BINARY(SubRelu, kSimple, sim::ThenRelu<sim::SubLane>, half, float, int16_t)
#undef SIM_BINARY

}  // namespace AscendC
