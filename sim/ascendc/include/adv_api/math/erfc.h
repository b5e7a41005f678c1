// SPDX-License-Identifier: Apache-2.0
// The complementary error function: exp(-a^2) P(a) / Q(a) for a = |x|, and 2 minus that where x < 0. The
// square is computed as high^2 + (a - high) (a + high), where high has the first 12 bits of a, so that the
// error is at most 2e-6, relative to the result, down to the least normal number.
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Erfc, 6, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats size = work[0], sign = work[1], above = work[2], below = work[3], high = work[4],
               low = work[5];
  v.Abs(size, x);
  v.Mins(size, size, 10.06F);
  v.Sign(sign, x);
  v.Muls(high, size, 4097);
  v.Sub(low, high, size);
  v.Sub(high, high, low);
  v.Sub(low, size, high);
  v.Add(above, size, high);
  v.Mul(low, low, above);
  v.Muls(low, low, -1);
  v.Exp(low, low);
  v.Mul(high, high, high);
  v.Muls(high, high, -1);
  v.Exp(high, high);
  v.Polynomial(below, size,
               {1, 2.561687707901001F, 2.890047550201416F, 1.8533403873443604F, 0.720880925655365F,
                0.16414931416511536F, 0.017698237672448158F});
  v.Polynomial(above, size,
               {1, 1.4333086013793945F, 0.9994922876358032F, 0.40170788764953613F, 0.09261195361614227F,
                0.009985147975385189F});
  v.Div(above, above, below);
  v.Mul(above, above, low);
  v.Mul(above, above, high);
  v.Mul(above, above, sign);
  v.Muls(sign, sign, -1);
  v.Adds(sign, sign, 1);
  v.Add(y, above, sign);
})
