// SPDX-License-Identifier: Apache-2.0
// ln |G(x)|, where G is the gamma function. The error is at most 8e-6 where the result is within 1, and 2e-6
// of it elsewhere, but near the zeros between negative integers.
#pragma once

#include "sim_gamma.h"

namespace sim {

// Stirling's series at z + 8, and the logarithms of two products of four factors, which stay finite.
inline void LogGammaAboveHalf(const Stage &v, const Floats &y, const Floats &z, const Floats &a,
                              const Floats &b) {
  constexpr float kHalfLogOfTwoPi = 0.918938533F;
  // 1 / (12 w) - 1 / (360 w^3) + 1 / (1260 w^5)
  constexpr float kSeries[] = {0.0833333333F, -0.00277777778F, 0.000793650794F};
  v.Adds(a, z, static_cast<float>(kGammaShift));
  v.Ln(y, a);
  v.Adds(y, y, -1);
  v.Adds(b, a, -0.5F);
  v.Mul(y, y, b);
  v.Adds(y, y, kHalfLogOfTwoPi - 0.5F);
  // Terms of 1 / w, each of which is the one before it times a factor and 1 / w^2.
  v.Fill(b, kSeries[0]);
  v.Div(a, b, a);
  v.Add(y, y, a);
  v.Mul(b, a, a);
  v.Muls(b, b, 1 / (kSeries[0] * kSeries[0]));
  for (size_t i = 1; i < 3; ++i) {
    v.Mul(a, a, b);
    v.Muls(a, a, kSeries[i] / kSeries[i - 1]);
    v.Add(y, y, a);
  }
  for (uint32_t first = 0; first < kGammaShift; first += 4) {
    // Above 1e9 the logarithm counts for nothing beside the series.
    v.Mins(a, z, 1e9F);
    v.Adds(a, a, static_cast<float>(first));
    v.Adds(b, a, 1);
    v.Mul(b, b, a);
    v.Adds(a, a, 2);
    v.Mul(b, b, a);
    v.Adds(a, a, 1);
    v.Mul(b, b, a);
    v.Ln(b, b);
    v.Sub(y, y, b);
  }
}

constexpr auto kLgamma = [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats z = work[0], a = work[1], b = work[2], mirrored = work[3], sum = work[4];
  MirrorAtHalf(v, z, x);
  LogGammaAboveHalf(v, sum, z, a, b);
  IsMirrored(v, mirrored, x);
  MirrorAngle(v, z, x, mirrored, a);
  SineOfPi(v, a, z, b);
  v.Abs(a, a);
  v.Fill(b, kPi);
  v.Div(a, b, a);
  v.Ln(a, a);
  v.Mul(a, a, mirrored);
  v.Muls(mirrored, mirrored, -2);
  v.Adds(mirrored, mirrored, 1);
  v.Mul(sum, sum, mirrored);
  v.Add(y, sum, a);
};

}  // namespace sim

SIM_GAMMA_FUNCTION(Lgamma, 5, sim::kLgamma)
