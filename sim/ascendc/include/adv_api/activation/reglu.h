// SPDX-License-Identifier: Apache-2.0
// src0 times max(src1, 0).
#pragma once

#include "sim_gated.h"

namespace sim {

template <typename T>
void ReGluOf(const char *name, const Bytes *work, uint32_t count, Where where,
             const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
             const AscendC::LocalTensor<T> &src1) {
  Gated(name, work, count, where, dst, src0, src1,
        [](const Stage &v, const Floats &t, const Floats &x1) { v.Maxs(t, x1, 0); });
}

}  // namespace sim

SIM_BINARY_FUNCTION(ReGlu, sim::ReGluOf, LocalTensor<T>, LocalTensor<T>, src0)
