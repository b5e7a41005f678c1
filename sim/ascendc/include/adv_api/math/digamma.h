// SPDX-License-Identifier: Apache-2.0
// The derivative of ln |G(x)|, where G is the gamma function. The error is at most 4e-6 where the result is
// within 1, and 4e-6 of it elsewhere. Where G has a pole the result is NaN or infinite.
#pragma once

#include "sim_gamma.h"

namespace sim {

// ln w - 1 / (2 w) - 1 / (12 w^2) + 1 / (120 w^4) - 1 / (252 w^6) at w = z + 8, and what leads from there to
// z.
inline void DigammaAboveHalf(const Stage &v, const Floats &y, const Floats &z, const Floats &a,
                             const Floats &b, const Floats &c) {
  constexpr float kSeries[] = {0.0833333333F, -0.00833333333F, 0.00396825397F};
  v.Adds(a, z, static_cast<float>(kGammaShift));
  v.Ln(y, a);
  v.Fill(c, 1);
  v.Div(a, c, a);
  v.Muls(b, a, -0.5F);
  v.Add(y, y, b);
  v.Mul(a, a, a);
  v.Polynomial(b, a, kSeries);
  v.Mul(b, b, a);
  v.Sub(y, y, b);
  for (uint32_t i = 0; i < kGammaShift; ++i) {
    v.Adds(a, z, static_cast<float>(i));
    v.Div(a, c, a);
    v.Sub(y, y, a);
  }
}

constexpr auto kDigamma = [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  constexpr float kCosine[] = {
      1, -4.93480220F, 4.05871213F, -1.33526277F, 0.235330630F, -0.0258068914F, 0.00192957431F};
  const Floats z = work[0], a = work[1], b = work[2], mirrored = work[3], sum = work[4], c = work[5];
  MirrorAtHalf(v, z, x);
  DigammaAboveHalf(v, sum, z, a, b, c);
  IsMirrored(v, mirrored, x);
  // pi / tan(pi r), which is 0 where x is not mirrored.
  MirrorAngle(v, z, x, mirrored, a);
  SineOfPi(v, a, z, b);
  v.Polynomial(c, b, kCosine);
  v.Muls(c, c, kPi);
  v.Div(c, c, a);
  v.Mul(c, c, mirrored);
  v.Sub(y, sum, c);
};

}  // namespace sim

SIM_GAMMA_FUNCTION(Digamma, 6, sim::kDigamma)
