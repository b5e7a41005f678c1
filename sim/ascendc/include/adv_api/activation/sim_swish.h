// SPDX-License-Identifier: Apache-2.0
// The body of Silu and Swish: x / (1 + exp(-beta x)), in the type of x. The result may not lie at the place
// of the source, as there is no work memory.
#pragma once

#include "../sim_stage.h"

namespace sim {

// dst = 1 + exp(-beta x), which Sigmoid, Silu and Swish divide by.
template <typename T>
void OnePlusExp(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, int32_t n, float beta,
                Where where) {
  AscendC::Muls(dst, src, static_cast<T>(-beta), n, where);
  AscendC::PipeBarrier<PIPE_V>(where);
  AscendC::Exp(dst, dst, n, where);
  AscendC::PipeBarrier<PIPE_V>(where);
  AscendC::Adds(dst, dst, static_cast<T>(1.0F), n, where);
  AscendC::PipeBarrier<PIPE_V>(where);
}

template <typename T>
void Swish(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint32_t count, float beta,
           Where where) {
  static_assert(kOneOf<T, half, float>, "Swish: for half and float on Atlas A2");
  const auto n = static_cast<int32_t>(count);
  OnePlusExp(dst, src, n, beta, where);
  AscendC::Div(dst, src, dst, n, where);
  AscendC::PipeBarrier<PIPE_V>(where);
}

}  // namespace sim
