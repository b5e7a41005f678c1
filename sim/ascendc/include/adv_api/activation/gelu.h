// SPDX-License-Identifier: Apache-2.0
// The Gaussian error linear unit in three approximations, with work memory or without. half is computed in
// float, whatever highPrecision says.
//
//   Gelu          x / (1 + exp(-1.5957691 (x + 0.044715 x^3)))
//   FasterGelu    x / (1 + exp(-1.702 x))
//   FasterGeluV2  x (sign(x) (-0.1444 (min(|x| / sqrt(2), 1.769) - 1.769)^2 + 0.5) + 0.5)
#pragma once

#include "../sim_stage.h"

namespace sim {

// y = x / (1 + exp(t))
inline void DivideByExp(const Stage &v, const Floats &y, const Floats &x, const Floats &t) {
  v.Exp(t, t);
  v.Adds(t, t, 1);
  v.Div(y, x, t);
}

// t = -1.5957691 (x + 0.044715 x^3)
inline void GeluExponent(const Stage &v, const Floats &t, const Floats &x) {
  v.Mul(t, x, x);
  v.Muls(t, t, 0.044715F);
  v.Adds(t, t, 1);
  v.Mul(t, t, x);
  v.Muls(t, t, -1.5957691216F);
}

inline void GeluOf(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  GeluExponent(v, work[0], x);
  DivideByExp(v, y, x, work[0]);
}
inline void FasterGeluOf(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  v.Muls(work[0], x, -1.702F);
  DivideByExp(v, y, x, work[0]);
}
inline void FasterGeluV2Of(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats t = work[0], sign = work[1];
  v.Abs(t, x);
  v.Muls(t, t, 0.70710678118F);
  v.Mins(t, t, 1.769F);
  v.Adds(t, t, -1.769F);
  v.Mul(t, t, t);
  v.Muls(t, t, -0.1444F);
  v.Adds(t, t, 0.5F);
  v.Sign(sign, x);
  v.Mul(t, t, sign);
  v.Adds(t, t, 0.5F);
  v.Mul(y, x, t);
}

}  // namespace sim

#define SIM_GELU(Name, parts)                                                                          \
  namespace AscendC {                                                                                  \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                      \
  __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,          \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t dataSize,    \
                              sim::Where where = sim::Where::Here()) {                                 \
    sim::InPieces<parts>(#Name, &sharedTmpBuffer, dataSize, where, sim::Name##Of, dstLocal, srcLocal); \
  }                                                                                                    \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                      \
  __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,          \
                              const uint32_t dataSize, sim::Where where = sim::Where::Here()) {        \
    sim::InPieces<parts>(#Name, nullptr, dataSize, where, sim::Name##Of, dstLocal, srcLocal);          \
  }                                                                                                    \
  }
SIM_GELU(Gelu, 1)
SIM_GELU(FasterGelu, 1)
SIM_GELU(FasterGeluV2, 2)
#undef SIM_GELU
