// SPDX-License-Identifier: Apache-2.0
// The arc sine: 2 atan(x / (1 + sqrt((1 - x) (1 + x)))). It is NaN where |x| > 1.
#pragma once

#include "sim_arctangent.h"

namespace sim {

inline void Arcsine(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats t = work[0], other = work[1];
  v.Muls(t, x, -1);
  v.Adds(t, t, 1);
  v.Adds(other, x, 1);
  v.Mul(t, t, other);
  v.Sqrt(t, t);
  v.Adds(t, t, 1);
  v.Div(t, x, t);
  HalveAngle(v, t, other);
  SmallArctangent(v, y, t, other, 4);
}

}  // namespace sim

SIM_LANE_FUNCTION(Asin, 2, Arcsine)
