// SPDX-License-Identifier: Apache-2.0
// The rest of a division: a - trunc(a / b) b, which has the sign of a. As the quotient is rounded, it is off
// by up to |a| 2^-23, and by b where a / b is an integer but for its rounding.
#pragma once

#include "../sim_stage.h"

namespace sim {

template <typename T>
void RestOfDivision(const char *name, const Bytes *work, uint32_t count, Where where,
                    const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
                    const AscendC::LocalTensor<T> &src1) {
  InPieces<1>(
      name, work, count, where,
      [](const Stage &v, const Floats &y, const Parts &parts, const Floats &a, const Floats &b) {
        v.Div(parts[0], a, b);
        v.Trunc(parts[0], parts[0]);
        v.Mul(parts[0], parts[0], b);
        v.Sub(y, a, parts[0]);
      },
      dst, src0, src1);
}

}  // namespace sim

SIM_BINARY_FUNCTION(Fmod, sim::RestOfDivision, LocalTensor<T>, LocalTensor<T>, src0)
