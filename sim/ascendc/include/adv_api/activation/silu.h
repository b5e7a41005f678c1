// SPDX-License-Identifier: Apache-2.0
// x / (1 + exp(-x))
#pragma once

#include "sim_swish.h"

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void Silu(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize,
                            sim::Where where = sim::Where::Here()) {
  sim::Swish(dstLocal, srcLocal, dataSize, 1, where);
}

}  // namespace AscendC
