// SPDX-License-Identifier: Apache-2.0
// What Lgamma and Digamma share. Both have a series for arguments of 8 and more, to which a recurrence leads
// from 1/2 on; arguments below 1/2 are mirrored at it.
//
//   ln G(z) = ln G(z + 8) - ln(z (z + 1) … (z + 7))          ln G(x) = ln(pi / |sin(pi x)|) - ln G(1 - x)
//   psi(z)  = psi(z + 8) - 1/z - 1/(z + 1) … - 1/(z + 7)     psi(x)  = psi(1 - x) - pi / tan(pi x)
#pragma once

#include "../sim_stage.h"

namespace sim {

constexpr float kPi = 3.14159265358979F;
constexpr uint32_t kGammaShift = 8;

// z = max(x, 1 - x), which is 1/2 at least. `z` must not lie where x lies.
inline void MirrorAtHalf(const Stage &v, const Floats &z, const Floats &x) {
  v.Muls(z, x, -1);
  v.Adds(z, z, 1);
  v.Max(z, z, x);
}

// 1 where x is below 1/2, and 0 elsewhere. A factor of 2^127 brings the least difference above 1.
inline void IsMirrored(const Stage &v, const Floats &dst, const Floats &x) {
  v.Muls(dst, x, -1);
  v.Adds(dst, dst, 0.5F);
  v.Muls(dst, dst, 0x1p127F);
  v.Clamp(dst, dst, 0, 1);
}

// r = x - rint(x) where x is mirrored, and 1/2 elsewhere; sin(pi r) and cos(pi r) are those of x but for the
// sign.
inline void MirrorAngle(const Stage &v, const Floats &r, const Floats &x, const Floats &mirrored,
                        const Floats &scratch) {
  // An infinite x would become NaN here.
  v.Mins(r, x, 1e30F);
  v.Rint(scratch, r);
  v.Sub(r, r, scratch);
  v.Adds(r, r, -0.5F);
  v.Mul(r, r, mirrored);
  v.Adds(r, r, 0.5F);
}

// sin(pi r) for |r| <= 1/2. `square` becomes r^2.
inline void SineOfPi(const Stage &v, const Floats &dst, const Floats &r, const Floats &square) {
  constexpr float kSine[] = {3.14159265F,   -5.16771278F,  2.55016404F,
                             -0.599264529F, 0.0821458866F, -0.00737043095F};
  v.Mul(square, r, r);
  v.Polynomial(dst, square, kSine);
  v.Mul(dst, dst, r);
}

}  // namespace sim

// Functions with a count, with work memory or without.
#define SIM_GAMMA_FUNCTION(Name, parts, Body)                                                       \
  namespace AscendC {                                                                               \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount, \
                              sim::Where where = sim::Where::Here()) {                              \
    sim::InPieces<parts>(#Name, &sharedTmpBuffer, calCount, where, Body, dstTensor, srcTensor);     \
  }                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const uint32_t calCount, sim::Where where = sim::Where::Here()) {     \
    sim::InPieces<parts>(#Name, nullptr, calCount, where, Body, dstTensor, srcTensor);              \
  }                                                                                                 \
  }
