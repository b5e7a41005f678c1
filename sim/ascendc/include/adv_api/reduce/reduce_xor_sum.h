// SPDX-License-Identifier: Apache-2.0
// The sum of the exclusive or of two tensors of int16_t, summed in float and rounded towards zero.
#pragma once

#include "../math/xor.h"
#include "sim_rows.h"

namespace sim {

// Work memory, a repeat each: the exclusive or, the same as floats, and the sum. CANN's least is 3 repeats.
template <typename T>
void ReduceXorSum(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
                  const AscendC::LocalTensor<T> &src1, const Bytes *given, uint32_t count, Where where) {
  static_assert(std::is_same_v<T, int16_t>, "ReduceXorSum: for int16_t on Atlas A2");
  const Bytes work = WorkOf(given, where);
  const auto part = [&](uint64_t repeats) { return work[static_cast<uint32_t>(repeats * kRepeatBytes)]; };
  CheckWork("ReduceXorSum", work, 3 * kRepeatBytes, where);
  constexpr uint32_t kLanes = kFloatLanes;
  const Bytes scratch = part(1);
  const AscendC::LocalTensor<T> differ = As<T>(work);
  const Floats wide = As<float>(scratch), sum = As<float>(part(2));
  const Stage one(1, where);
  one.Fill(sum, 0);
  for (uint32_t done = 0; done < count; done += kLanes) {
    const uint32_t lanes = std::min(kLanes, count - done);
    ExclusiveOr("ReduceXorSum", &scratch, lanes, where, differ, src0[done], src1[done]);
    Stage(lanes, where).Convert(wide, differ, RoundMode::CAST_NONE);
    SumOfRow(wide, wide, lanes, wide, where);
    one.Add(sum, sum, wide);
  }
  one.Convert(dst, sum, RoundMode::CAST_TRUNC);
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                                    const LocalTensor<T> &src1Tensor,
                                    const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount,
                                    sim::Where where = sim::Where::Here()) {
  sim::ReduceXorSum(dstTensor, src0Tensor, src1Tensor, &sharedTmpBuffer, calCount, where);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                                    const LocalTensor<T> &src1Tensor, const uint32_t calCount,
                                    sim::Where where = sim::Where::Here()) {
  sim::ReduceXorSum(dstTensor, src0Tensor, src1Tensor, nullptr, calCount, where);
}

}  // namespace AscendC
