// SPDX-License-Identifier: Apache-2.0
// The hyperbolic cosine.
#pragma once

#include "sim_exponentials.h"

SIM_LANE_FUNCTION(Cosh, 1, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  HalfOfExp(v, work[0], x, -0.5F);
  HalfOfExp(v, y, x, 0.5F);
  v.Add(y, y, work[0]);
})
