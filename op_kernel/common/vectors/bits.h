// SPDX-License-Identifier: Apache-2.0
// Bits that comparisons of positions leave, one a lane.
#pragma once

#include "kernel_operator.h"

namespace avo {

// Keeps the bits of those that compare to `limit`; none with NaN does.
__aicore__ inline void KeepBits(const AscendC::LocalTensor<uint8_t> &bits,
                                const AscendC::LocalTensor<uint8_t> &other,
                                const AscendC::LocalTensor<float> &position, float limit,
                                AscendC::CMPMODE mode, uint32_t count) {
  AscendC::CompareScalar(other, position, limit, mode, count);
  AscendC::And(bits.template ReinterpretCast<uint16_t>(), bits.template ReinterpretCast<uint16_t>(),
               other.template ReinterpretCast<uint16_t>(), count / 16);
}

}  // namespace avo
