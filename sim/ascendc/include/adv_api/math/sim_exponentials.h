// SPDX-License-Identifier: Apache-2.0
// The body of Sinh and Cosh: (exp(x) + sign exp(-x)) / 2, as squares of exponentials of x / 2, so that it is
// infinite no sooner than the result. The error is at most 1e-6 max(1, |result|).
#pragma once

#include "../sim_stage.h"

namespace sim {

// y = exp(factor * 2 * x) / 2, which may lie at the place of x.
inline void HalfOfExp(const Stage &v, const Floats &y, const Floats &x, float factor) {
  constexpr float kRootOfHalf = 0.70710678118F;
  v.Muls(y, x, factor);
  v.Exp(y, y);
  v.Muls(y, y, kRootOfHalf);
  v.Mul(y, y, y);
}

}  // namespace sim
