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
  const auto pattern = [&] { return sim::Pointer<uint8_t>(sim::Core::Current(), src1Pattern); };
  const int64_t stride = static_cast<int64_t>(gatherMaskParams.src1RepeatStride) * sim::kBlockBytes;
  sim::GatherMask(
      dst, src0, reduceMode, mask, gatherMaskParams, rsvdCnt, where,
      [&](sim::VectorOp &op, uint32_t count) {
        sim::Operand bits = sim::Run("src1Pattern", src1Pattern, false, sim::CeilDivide(count, 8));
        bits.groups = gatherMaskParams.repeatTimes;
        bits.group_stride = stride;
        op.Add(bits, src1Pattern);
      },
      [&](uint32_t r, uint32_t e) { return ((pattern()[r * stride + e / 8] >> (e % 8)) & 1U) != 0; });
}

// Pattern 1: even elements; 2: odd ones; 3 to 6: the first to the fourth of each four; 7: all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                  const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                                  const GatherMaskParams &gatherMaskParams, uint64_t &rsvdCnt,
                                  sim::Where where = sim::Where::Here()) {
  sim::CheckRange(sim::Core::Current(), sim::FaultKind::kOther, "GatherMask", where, "src1Pattern",
                  src1Pattern, 1, 7);
  sim::GatherMask(
      dst, src0, reduceMode, mask, gatherMaskParams, rsvdCnt, where, [](sim::VectorOp &, uint32_t) {},
      [=](uint32_t, uint32_t e) {
        return src1Pattern == 7 || (src1Pattern <= 2 ? e % 2 == src1Pattern - 1U : e % 4 == src1Pattern - 3U);
      });
}

}  // namespace AscendC
