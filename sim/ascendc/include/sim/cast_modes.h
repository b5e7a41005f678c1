// SPDX-License-Identifier: Apache-2.0
// Says between which pairs of types Atlas A2 converts, and by which rounding modes. Include it after
// AscendC::RoundMode, which comes from our headers or from CANN's.
#pragma once

#include <cstdint>

#include "float16_types.h"

namespace sim {

using AscendC::RoundMode;

constexpr uint32_t Bit(RoundMode mode) { return 1U << static_cast<uint32_t>(mode); }
constexpr uint32_t kNoneMode = Bit(RoundMode::CAST_NONE);
constexpr uint32_t kFiveModes = Bit(RoundMode::CAST_RINT) | Bit(RoundMode::CAST_FLOOR) |
                                Bit(RoundMode::CAST_CEIL) | Bit(RoundMode::CAST_ROUND) |
                                Bit(RoundMode::CAST_TRUNC);

template <typename S, typename D>
struct CastPair {};

// Returns the legal modes of a pair of types, a bit for each; 0: the device has no such conversion.
constexpr uint32_t ModesOf(...) { return 0; }
constexpr uint32_t ModesOf(CastPair<int8_t, half>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<uint8_t, half>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int16_t, half>) { return kFiveModes | kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int16_t, float>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<half, int8_t>) { return kFiveModes | kNoneMode; }
constexpr uint32_t ModesOf(CastPair<half, uint8_t>) { return kFiveModes | kNoneMode; }
constexpr uint32_t ModesOf(CastPair<half, int16_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<half, int32_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<half, float>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<bfloat16_t, int32_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<bfloat16_t, float>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int32_t, int16_t>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int32_t, half>) {
  return 0x7F;
}  // the mode is ignored, SetDeqScale scales
constexpr uint32_t ModesOf(CastPair<int32_t, float>) { return kFiveModes | kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int32_t, int64_t>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<float, int16_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<float, half>) {
  return kFiveModes | kNoneMode | Bit(RoundMode::CAST_ODD);
}
constexpr uint32_t ModesOf(CastPair<float, bfloat16_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<float, int32_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<float, float>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<float, int64_t>) { return kFiveModes; }
constexpr uint32_t ModesOf(CastPair<int64_t, int32_t>) { return kNoneMode; }
constexpr uint32_t ModesOf(CastPair<int64_t, float>) { return kFiveModes; }

}  // namespace sim
