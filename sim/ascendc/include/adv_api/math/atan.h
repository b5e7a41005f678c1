// SPDX-License-Identifier: Apache-2.0
// The arc tangent.
#pragma once

#include "sim_arctangent.h"

namespace sim {

inline void Arctangent(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats t = work[0], other = work[1];
  // The square of the limit is finite, and its arc tangent is pi / 2.
  v.Clamp(t, x, -1e10F, 1e10F);
  HalveAngle(v, t, other);
  HalveAngle(v, t, other);
  SmallArctangent(v, y, t, other, 4);
}

}  // namespace sim

SIM_LANE_FUNCTION(Atan, 2, Arctangent)
