// SPDX-License-Identifier: Apache-2.0
// src0 times Gelu of src1.
#pragma once

#include "gelu.h"
#include "sim_gated.h"

namespace sim {

template <typename T>
void GeGluOf(const char *name, const Bytes *work, uint32_t count, Where where,
             const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
             const AscendC::LocalTensor<T> &src1) {
  Gated(name, work, count, where, dst, src0, src1, [](const Stage &v, const Floats &t, const Floats &x1) {
    GeluExponent(v, t, x1);
    DivideByExp(v, t, x1, t);
  });
}

}  // namespace sim

SIM_BINARY_FUNCTION(GeGLU, sim::GeGluOf, LocalTensor<T>, LocalTensor<T>, src0)
