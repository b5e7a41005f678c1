// SPDX-License-Identifier: Apache-2.0
// The body of Sin and Cos.
//
//   x = (m - shift) pi + r, |r| <= pi / 2, m an integer:   sin(x) = (-1)^m sin(r) with a shift of 0
//                                                           cos(x) = (-1)^m sin(r) with a shift of 1/2
//
// pi is a sum of parts of 8 bits, so that their products with m - shift are exact for |x| <= 65504, the
// documented range. The polynomial is a minimax fit of sin(r) / r; the error is at most 3e-7, absolute.
#pragma once

#include "../sim_stage.h"

namespace sim {

constexpr float kPiParts[] = {3.140625F, 0.000965118408203125F, 2.5331974029541016e-06F,
                              1.979060471057892e-09F};

inline void SineOfShifted(const Stage &v, const Floats &y, const Parts &work, const Floats &x, float shift) {
  const Floats m = work[0], r = work[1];
  v.Muls(m, x, 0.31830988618F);
  v.Adds(m, m, shift);
  v.Rint(m, m);
  v.Adds(m, m, -shift);
  v.Muls(r, m, kPiParts[0]);
  v.Sub(r, x, r);
  for (int i = 1; i < 4; ++i) {
    v.Muls(y, m, kPiParts[i]);
    v.Sub(r, r, y);
  }
  // (-1)^m is 1 - 2 m + 4 floor(m / 2).
  v.Adds(m, m, shift);
  v.Muls(y, m, 0.5F);
  v.Floor(y, y);
  v.Muls(y, y, 4);
  v.Muls(m, m, -2);
  v.Add(m, m, y);
  v.Adds(m, m, 1);
  v.Mul(r, r, m);
  const Floats square = m;
  v.Mul(square, r, r);
  v.Polynomial(y, square,
               {1, -0.1666666716337204F, 0.008333330973982811F, -0.0001984083210118115F,
                2.7523965400177985e-06F, -2.3868228282708515e-08F});
  v.Mul(y, y, r);
}

}  // namespace sim
