// SPDX-License-Identifier: Apache-2.0
// The body of Atan, Asin and Acos, by atan(t) = 2 atan(t / (1 + sqrt(1 + t^2))): two steps bring every t
// below tan(pi / 8), where a minimax polynomial of atan(t) / t has an error of 6e-10. In all it is at most
// 6e-7, relative to the result.
#pragma once

#include "../sim_stage.h"

namespace sim {

// t = t / (1 + sqrt(1 + t^2))
inline void HalveAngle(const Stage &v, const Floats &t, const Floats &other) {
  v.Mul(other, t, t);
  v.Adds(other, other, 1);
  v.Sqrt(other, other);
  v.Adds(other, other, 1);
  v.Div(t, t, other);
}

// y = factor * atan(t), |t| <= tan(pi / 8)
inline void SmallArctangent(const Stage &v, const Floats &y, const Floats &t, const Floats &square,
                            float factor) {
  v.Mul(square, t, t);
  v.Polynomial(y, square,
               {1, -0.3333330750465393F, 0.1999821662902832F, -0.14240071177482605F, 0.10573388636112213F,
                -0.06034553423523903F});
  v.Mul(y, y, t);
  v.Muls(y, y, factor);
}

}  // namespace sim
