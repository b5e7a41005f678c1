// SPDX-License-Identifier: Apache-2.0
// Packs the elements that a pattern or a tensor of bits selects.
#pragma once

#include "sim/gather.h"

namespace AscendC {

// A repeat takes the bits of src1Pattern one after the other.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                  const LocalTensor<U> &src1Pattern, const bool reduceMode,
                                  const uint32_t mask, const GatherMaskParams &gatherMaskParams,
                                  uint64_t &rsvdCnt, sim::Where where = sim::Where::Here()) {
  static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T),
                "GatherMask: src1Pattern must be unsigned and as wide as src0");
  sim::GatherMaskByBits(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt, where);
}

// Pattern 1: even elements; 2: odd ones; 3 to 6: the first to the fourth of each four; 7: all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                  const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                                  const GatherMaskParams &gatherMaskParams, uint64_t &rsvdCnt,
                                  sim::Where where = sim::Where::Here()) {
  sim::GatherMaskByPattern(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt, where);
}

}  // namespace AscendC
