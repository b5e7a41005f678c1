// SPDX-License-Identifier: Apache-2.0
// The inverse hyperbolic sine: sign(x) (ln((|x| + s) / 2) + ln 2), where s is sqrt(x^2 + 1), and |x| where
// the square would be infinite. The error is at most 1e-6 max(1, |result|).
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Asinh, 2, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats size = work[0], s = work[1];
  v.Abs(size, x);
  v.Mins(s, size, 1e18F);
  v.Mul(s, s, s);
  v.Adds(s, s, 1);
  v.Sqrt(s, s);
  v.Max(s, s, size);
  v.Muls(s, s, 0.5F);
  v.Muls(size, size, 0.5F);
  v.Add(s, s, size);
  v.Ln(s, s);
  v.Adds(s, s, 0.69314718056F);
  v.Sign(y, x);
  v.Mul(y, y, s);
})
