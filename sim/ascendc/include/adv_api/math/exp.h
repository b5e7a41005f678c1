// SPDX-License-Identifier: Apache-2.0
// The exponential function as exp(floor(x)) times the Taylor series of the rest, up to the given power. With
// the power 0 it is the instruction Exp. 15 terms have an error of 1e-6, relative to the result.
#pragma once

#include "../sim_stage.h"

namespace sim {

template <int level>
void ExpBySeries(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  if constexpr (level == 0) {
    v.Exp(y, x);
  } else {
    const Floats whole = work[0], rest = work[1];
    // Beyond these bounds the result is infinite or 0.
    v.Clamp(whole, x, -200, 200);
    v.Floor(rest, whole);
    v.Sub(y, whole, rest);
    v.Exp(whole, rest);
    // 1 + r (1 + r / 2 (1 + r / 3 (…)))
    v.Muls(rest, y, 1.0F / level);
    v.Adds(rest, rest, 1);
    for (int i = level - 1; i > 0; --i) {
      v.Mul(rest, rest, y);
      v.Muls(rest, rest, 1.0F / static_cast<float>(i));
      v.Adds(rest, rest, 1);
    }
    v.Mul(y, rest, whole);
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount,
                           sim::Where where = sim::Where::Here()) {
  sim::InPieces<2>("Exp", &sharedTmpBuffer, calCount, where, sim::ExpBySeries<taylorExpandLevel>, dstLocal,
                   srcLocal);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                           const uint32_t calCount, sim::Where where = sim::Where::Here()) {
  sim::InPieces<2>("Exp", nullptr, calCount, where, sim::ExpBySeries<taylorExpandLevel>, dstLocal, srcLocal);
}

}  // namespace AscendC
