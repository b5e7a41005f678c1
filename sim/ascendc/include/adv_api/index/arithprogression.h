// SPDX-License-Identifier: Apache-2.0
// Writes first, first + diff, first + 2 * diff, …
#pragma once

#include "../../kernel_operator_vec_createvecindex_intf.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                              const int32_t count, sim::Where where = sim::Where::Here()) {
  sim::Sequence("Arange", dst, firstValue, diffValue, sim::Level2{count}, where);
}
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                                        const int32_t count, sim::Where where = sim::Where::Here()) {
  sim::Sequence("ArithProgression", dst, firstValue, diffValue, sim::Level2{count}, where);
}

}  // namespace AscendC
