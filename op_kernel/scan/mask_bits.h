// SPDX-License-Identifier: Apache-2.0
// What the scalar unit asks of a mask that an instruction has written.
#pragma once

#include "../common/copies/row_copy.h"

namespace avo {

// Whether the first `count` bits of a mask are all set. The scalar unit waits for the vector unit.
__aicore__ inline bool AllBitsSet(const AscendC::LocalTensor<uint8_t> &mask, uint32_t count,
                                  AscendC::TPipe *pipe) {
  constexpr uint32_t kWordBits = 64;
  constexpr uint64_t kAll = ~uint64_t{0};
  const auto words = mask.ReinterpretCast<uint64_t>();
  WaitFor<AscendC::HardEvent::V_S>(pipe);
  bool all = true;
  for (uint32_t bit = 0; bit < count; bit += kWordBits) {
    const uint64_t behind = count - bit < kWordBits ? kAll << (count - bit) : 0;
    all = all && (words.GetValue(bit / kWordBits) | behind) == kAll;
  }
  WaitFor<AscendC::HardEvent::S_V>(pipe);
  return all;
}

}  // namespace avo
