// SPDX-License-Identifier: Apache-2.0
// Gated linear units: src0 times an activation of src1. float needs no work memory, as the result is computed
// at its own place; so it may not be the place of a source. Narrow types are computed in float.
#pragma once

#include "../sim_stage.h"

namespace sim {

// Calls body(stage, t, x1), which leaves the activation of x1 in t.
template <typename T, typename Body>
void Gated(const char *name, const Bytes *work, uint32_t count, Where where,
           const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
           const AscendC::LocalTensor<T> &src1, const Body &body) {
  constexpr bool kNarrow = !std::is_same_v<T, float>;
  InPieces<kNarrow ? 1 : 0>(
      name, work, count, where,
      [&](const Stage &v, const Floats &y, const Parts &parts, const Floats &x0, const Floats &x1) {
        const Floats t = kNarrow ? parts[0] : y;
        body(v, t, x1);
        v.Mul(y, x0, t);
      },
      dst, src0, src1);
}

}  // namespace sim
