// SPDX-License-Identifier: Apache-2.0
// The arc cosine: 2 atan(sqrt((1 - x) / (1 + x))). It is NaN where |x| > 1.
#pragma once

#include "sim_arctangent.h"

namespace sim {

inline void Arccosine(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats t = work[0], other = work[1];
  v.Muls(t, x, -1);
  v.Adds(t, t, 1);
  v.Adds(other, x, 1);
  v.Div(t, t, other);
  v.Sqrt(t, t);
  v.Mins(t, t, 1e10F);
  HalveAngle(v, t, other);
  HalveAngle(v, t, other);
  SmallArctangent(v, y, t, other, 8);
}

}  // namespace sim

SIM_LANE_FUNCTION(Acos, 2, Arccosine)
