// SPDX-License-Identifier: Apache-2.0
// x / (1 + exp(-beta x))
#pragma once

#include "sim_swish.h"

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void Swish(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                             uint32_t dataSize, const T scalarValue, sim::Where where = sim::Where::Here()) {
  sim::Swish(dstLocal, srcLocal, dataSize, static_cast<float>(scalarValue), where);
}

}  // namespace AscendC
