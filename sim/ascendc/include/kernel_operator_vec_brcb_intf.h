// SPDX-License-Identifier: Apache-2.0
// Brcb: each element of src fills a data block of dst.
#pragma once

#include "sim/gather.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
                            const BrcbRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::Brcb(dst, src, repeatTime, repeatParams, where);
}

}  // namespace AscendC
