// SPDX-License-Identifier: Apache-2.0
// The inverse hyperbolic tangent: ln((1 + x) / (1 - x)) / 2. It is NaN where |x| > 1. The error is at most
// 1e-6 max(1, |result|).
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Atanh, 1, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  v.Muls(work[0], x, -1);
  v.Adds(work[0], work[0], 1);
  v.Adds(y, x, 1);
  v.Div(y, y, work[0]);
  v.Ln(y, y);
  v.Muls(y, y, 0.5F);
})
