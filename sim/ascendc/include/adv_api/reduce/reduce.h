// SPDX-License-Identifier: Apache-2.0
// Reductions of a matrix over one of its axes. Rows begin at multiples of 32 bytes.
//
//   AR   |a b c|  ──▶  a + b + c        RA   |a b c|
//        |d e f|       d + e + f             |d e f|  ──▶  |a + d   b + e   c + f|
//
// Sums of AR are by pairs within a repeat; sums of RA are row by row, one after the other.
#pragma once

#include "sim_logic.h"

namespace AscendC {

#define SIM_REDUCE(Name, Kind)                                                                        \
  template <class T, class pattern, bool isReuseSource = false>                                       \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,       \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t srcShape[], \
                              bool srcInnerPad, sim::Where where = sim::Where::Here()) {              \
    const sim::MatrixReduction matrix{#Name, srcShape, isReuseSource, where};                         \
    matrix.Check(srcInnerPad);                                                                        \
    sim::ReduceTo##Kind<pattern>(matrix, dstTensor, srcTensor, &sharedTmpBuffer);                     \
  }                                                                                                   \
  template <class T, class pattern, bool isReuseSource = false>                                       \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,       \
                              const uint32_t srcShape[], bool srcInnerPad,                            \
                              sim::Where where = sim::Where::Here()) {                                \
    const sim::MatrixReduction matrix{#Name, srcShape, isReuseSource, where};                         \
    matrix.Check(srcInnerPad);                                                                        \
    sim::ReduceTo##Kind<pattern>(matrix, dstTensor, srcTensor, nullptr);                              \
  }
SIM_REDUCE(ReduceSum, Sum)
SIM_REDUCE(ReduceMean, Mean)
SIM_REDUCE(ReduceMax, Max)
SIM_REDUCE(ReduceMin, Min)
SIM_REDUCE(ReduceProd, Prod)
SIM_REDUCE(ReduceAll, All)
SIM_REDUCE(ReduceAny, Any)
#undef SIM_REDUCE

}  // namespace AscendC
