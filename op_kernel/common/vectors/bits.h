// SPDX-License-Identifier: Apache-2.0
// Masks: one bit for each position that is compared.
#pragma once

#include "../copies/row_copy.h"

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

// Packs those of the first `count` elements whose bit is set, and returns how many they are.
template <typename E, typename B>
__aicore__ inline uint32_t PackMarked(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                      const AscendC::LocalTensor<B> &bits, uint32_t count) {
  uint64_t packed = 0;
  AscendC::GatherMask(to, from, bits.template ReinterpretCast<uint32_t>(), true, count, {1, 1, 8, 8}, packed);
  return static_cast<uint32_t>(packed);
}

// Says to the scalar unit that the vector unit has finished all instructions so far. It waits for the result.
__aicore__ inline event_t SignalScalar(AscendC::TPipe *pipe) {
  const auto ready = static_cast<event_t>(pipe->FetchEventID(AscendC::HardEvent::V_S));
  AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
  return ready;
}

// Whether the first `count` bits of a mask are all set. The scalar unit waits for the vector unit, which goes
// on with what lies between `ready`, a signal behind the mask, and this call.
__aicore__ inline bool AllBitsSet(const AscendC::LocalTensor<uint8_t> &mask, uint32_t count,
                                  AscendC::TPipe *pipe, event_t ready) {
  constexpr uint32_t kWordBits = 64;
  constexpr uint64_t kAll = ~uint64_t{0};
  const auto words = mask.ReinterpretCast<uint64_t>();
  AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
  bool all = true;
  for (uint32_t bit = 0; bit < count; bit += kWordBits) {
    const uint64_t behind = count - bit < kWordBits ? kAll << (count - bit) : 0;
    all = all && (words.GetValue(bit / kWordBits) | behind) == kAll;
  }
  WaitFor<AscendC::HardEvent::S_V>(pipe);
  return all;
}
__aicore__ inline bool AllBitsSet(const AscendC::LocalTensor<uint8_t> &mask, uint32_t count,
                                  AscendC::TPipe *pipe) {
  return AllBitsSet(mask, count, pipe, SignalScalar(pipe));
}

}  // namespace avo
