// SPDX-License-Identifier: Apache-2.0
// The mask registers.
#pragma once

#include "kernel_tensor.h"

namespace AscendC {

template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  sim::Core::Current().registers.mask = {maskLow, maskHigh};
}
// Sets the mask to the first `len` lanes of a repeat, or in counter mode to `len` elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t len) {
  const uint64_t lanes = static_cast<uint64_t>(len);
  const auto ones = [](uint64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
  sim::Core::Current().registers.mask =
      mode == MaskMode::COUNTER ? std::array<uint64_t, 2>{lanes, 0}
                                : std::array<uint64_t, 2>{ones(lanes), lanes > 64 ? ones(lanes - 64) : 0};
}
__aicore__ inline void ResetMask() { sim::Core::Current().registers.mask = {~uint64_t{0}, ~uint64_t{0}}; }
__aicore__ inline void SetMaskCount() { sim::Core::Current().registers.mask_counts = true; }
__aicore__ inline void SetMaskNorm() { sim::Core::Current().registers.mask_counts = false; }

}  // namespace AscendC
