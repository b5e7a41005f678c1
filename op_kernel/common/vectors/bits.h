// SPDX-License-Identifier: Apache-2.0
// Masks: one bit for each position that is compared.
#pragma once

#include "kernel_operator.h"

namespace avo {

// Clears the bits of positions for which the comparison with `limit` is false; with NaN it is always false.
// `other` is scratch for a mask.
__aicore__ inline void KeepBits(const AscendC::LocalTensor<uint8_t> &bits,
                                const AscendC::LocalTensor<uint8_t> &other,
                                const AscendC::LocalTensor<float> &position, float limit,
                                AscendC::CMPMODE mode, uint32_t count) {
  AscendC::CompareScalar(other, position, limit, mode, count);
  AscendC::And(bits.template ReinterpretCast<uint16_t>(), bits.template ReinterpretCast<uint16_t>(),
               other.template ReinterpretCast<uint16_t>(), count / 16);
}

}  // namespace avo
