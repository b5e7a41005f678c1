// SPDX-License-Identifier: Apache-2.0
// The inverse hyperbolic cosine: 2 ln(sqrt((x + 1) / 2) + sqrt((x - 1) / 2)). It is NaN where x < 1. The
// error is at most 1e-6 max(1, |result|).
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Acosh, 1, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  v.Adds(work[0], x, -1);
  v.Muls(work[0], work[0], 0.5F);
  v.Sqrt(work[0], work[0]);
  v.Muls(y, x, 0.5F);
  v.Adds(y, y, 0.5F);
  v.Sqrt(y, y);
  v.Add(y, y, work[0]);
  v.Ln(y, y);
  v.Muls(y, y, 2);
})
