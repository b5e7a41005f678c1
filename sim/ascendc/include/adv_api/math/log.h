// SPDX-License-Identifier: Apache-2.0
// Logarithms to the bases e, 2 and 10: Ln, times a constant. Log and Log10 of half are computed in half.
#pragma once

#include "../sim_stage.h"

namespace sim {

template <typename T>
void Logarithm(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint32_t count,
               float factor, Where where) {
  static_assert(kOneOf<T, half, float>, "Log: for half and float on Atlas A2");
  AscendC::Ln(dst, src, static_cast<int32_t>(count), where);
  if (factor == 1) return;
  AscendC::PipeBarrier<PIPE_V>(where);
  AscendC::Muls(dst, dst, static_cast<T>(factor), static_cast<int32_t>(count), where);
}

}  // namespace sim

#define SIM_LOGARITHM(Name, factor)                                                             \
  namespace AscendC {                                                                           \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, \
                              uint32_t calCount, sim::Where where = sim::Where::Here()) {       \
    sim::Logarithm(dstTensor, srcTensor, calCount, factor, where);                              \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, \
                              sim::Where where = sim::Where::Here()) {                          \
    sim::Logarithm(dstTensor, srcTensor, srcTensor.GetSize(), factor, where);                   \
  }                                                                                             \
  }
SIM_LOGARITHM(Log, 1)
SIM_LOGARITHM(Log10, 0.43429448190F)
#undef SIM_LOGARITHM

SIM_LANE_FUNCTION(Log2, 0, [](const Stage &v, const Floats &y, const Parts &, const Floats &x) {
  v.Ln(y, x);
  v.Muls(y, y, 1.44269504089F);
})
