// SPDX-License-Identifier: Apache-2.0
// Limits from above and from below. A NaN stays one.
#pragma once

#include "../sim_stage.h"

#define SIM_CLAMP(Name, Instruction)                                                                 \
  namespace AscendC {                                                                                \
  template <typename T, bool isReuseSource = false>                                                  \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,      \
                              const T scalar, const uint32_t calCount,                               \
                              sim::Where where = sim::Where::Here()) {                               \
    static_assert(sim::kOneOf<T, half, float>, #Name ": for half and float on Atlas A2");            \
    Instruction(dstTensor, srcTensor, scalar, static_cast<int32_t>(calCount), where);                \
  }                                                                                                  \
  template <typename T, bool isReuseSource = false>                                                  \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,      \
                              const LocalTensor<uint8_t> &, const T scalar, const uint32_t calCount, \
                              sim::Where where = sim::Where::Here()) {                               \
    Name(dstTensor, srcTensor, scalar, calCount, where);                                             \
  }                                                                                                  \
  }
SIM_CLAMP(ClampMax, Mins)
SIM_CLAMP(ClampMin, Maxs)
#undef SIM_CLAMP
