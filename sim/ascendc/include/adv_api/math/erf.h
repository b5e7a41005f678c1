// SPDX-License-Identifier: Apache-2.0
// The error function: x P(x^2) / Q(x^2) for |x| <= 3.92, beyond which it is 1 within 3e-8. The error is at
// most 5e-7, relative to the result.
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Erf, 3, [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats clamped = work[0], square = work[1], below = work[2];
  v.Clamp(clamped, x, -3.92F, 3.92F);
  v.Mul(square, clamped, clamped);
  v.Polynomial(below, square,
               {1, 0.5020739436149597F, 0.11410805583000183F, 0.014968972653150558F, 0.0011624983744695783F,
                3.809106783592142e-05F});
  v.Polynomial(y, square,
               {1.1283791065216064F, 0.19040407240390778F, 0.05274833366274834F, 0.0037654927000403404F,
                0.0002848762378562242F, 2.05005744646769e-06F});
  v.Mul(y, y, clamped);
  v.Div(y, y, below);
})
