// SPDX-License-Identifier: Apache-2.0
// Elements as another type.
#pragma once

#include <type_traits>

#include "kernel_operator.h"

namespace avo {

// Gives `count` elements as type To: `from` itself where it has this type, or else a copy in `room`.
template <typename To, typename From>
__aicore__ inline AscendC::LocalTensor<To> CastTo(
    const AscendC::LocalTensor<From> &from, AscendC::TBuf<AscendC::TPosition::VECCALC> &room, uint32_t count,
    AscendC::RoundMode rounding = AscendC::RoundMode::CAST_NONE) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    const auto to = room.template Get<To>();
    AscendC::Cast(to, from, rounding, count);
    return to;
  }
}

// The float with the bits of an integer: Select moves 32 bits as a float.
__aicore__ inline float FloatWithBits(int32_t bits) {
  union {
    int32_t integer;
    float number;
  } same;
  same.integer = bits;
  return same.number;
}

}  // namespace avo
