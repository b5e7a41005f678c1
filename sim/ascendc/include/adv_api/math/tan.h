// SPDX-License-Identifier: Apache-2.0
// The tangent of |x| <= 65504. With x = m pi / 2 + r it is tan(r) for even m and -1 / tan(r) for odd m: with
// p = 0 or 1 this is ((1 - p) tan(r) - p) / (p tan(r) + 1 - p). The error is at most 1e-6 (1 + |tan(x)|).
#pragma once

#include "sim_angle.h"

namespace sim {

inline void Tangent(const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
  const Floats m = work[0], r = work[1], p = work[2], t = work[3];
  v.Muls(m, x, 0.63661977237F);
  v.Rint(m, m);
  v.Muls(r, m, kPiParts[0] / 2);
  v.Sub(r, x, r);
  for (int i = 1; i < 4; ++i) {
    v.Muls(t, m, kPiParts[i] / 2);
    v.Sub(r, r, t);
  }
  v.Muls(p, m, 0.5F);
  v.Floor(p, p);
  v.Muls(p, p, -2);
  v.Add(p, m, p);
  const Floats square = m;
  v.Mul(square, r, r);
  v.Polynomial(t, square,
               {1, 0.3333335816860199F, 0.1333252191543579F, 0.054071128368377686F, 0.021236948668956757F,
                0.010933133773505688F, -1.6791927919257432e-05F, 0.0044226557947695255F});
  v.Mul(t, t, r);
  const Floats below = r, other = m;
  v.Muls(other, p, -1);
  v.Adds(other, other, 1);
  v.Mul(below, p, t);
  v.Add(below, below, other);
  v.Mul(y, other, t);
  v.Sub(y, y, p);
  v.Div(y, y, below);
}

}  // namespace sim

SIM_LANE_FUNCTION(Tan, 4, Tangent)
