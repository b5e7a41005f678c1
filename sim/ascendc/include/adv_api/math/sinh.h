// SPDX-License-Identifier: Apache-2.0
// The hyperbolic sine.
#pragma once

#include "sim_exponentials.h"

SIM_LANE_FUNCTION(Sinh, 1, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  HalfOfExp(v, work[0], x, -0.5F);
  HalfOfExp(v, y, x, 0.5F);
  v.Sub(y, y, work[0]);
})
