// SPDX-License-Identifier: Apache-2.0
// 1 / (1 + exp(-x)). half is computed in half, in four steps.
#pragma once

#include "sim_swish.h"

namespace sim {

template <bool reuse, typename T>
void Sigmoid(const char *name, const Bytes *given, uint32_t count, Where where,
             const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src) {
  static_assert(kOneOf<T, half, float>, "Sigmoid: for half and float on Atlas A2");
  const Bytes work = WorkOf(given, where);
  CheckWork(name, work, kRepeatBytes, where);
  const auto lanes = static_cast<uint32_t>(work.bytes / kRepeatBytes * kRepeatBytes / sizeof(T));
  const AscendC::LocalTensor<T> ones = As<T>(work);
  AscendC::Duplicate(ones, static_cast<T>(1.0F), static_cast<int32_t>(std::min(lanes, count)), where);
  for (uint32_t done = 0; done < count; done += lanes) {
    const auto n = static_cast<int32_t>(std::min(lanes, count - done));
    const AscendC::LocalTensor<T> y = dst[done];
    OnePlusExp(y, src[done], n, 1, where);
    AscendC::Div(y, ones, y, n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
}

}  // namespace sim

SIM_UNARY_FUNCTION(Sigmoid, sim::Sigmoid)
