// SPDX-License-Identifier: Apache-2.0
// Fixpipe copies results out of L0C.
#pragma once

#include "kernel_struct_fixpipe.h"
#include "sim/fixpipe.h"

namespace AscendC {

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::SetFactor(intriParams);
  sim::FixpipeOut<T, U>(sim::Side<T>("dst", dst), src, config.format, intriParams, where);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                               const FixpipeParamsV220 &intriParams, sim::Where where = sim::Where::Here()) {
  sim::CheckMemory(sim::Core::Current(), "Fixpipe", where, "dst", dst, {sim::Space::L1}, "GM or L1 (A1, B1)");
  sim::SetFactor(intriParams);
  sim::FixpipeOut<T, U>(sim::Side<T>("dst", dst), src, config.format, intriParams, where);
}

}  // namespace AscendC
