// SPDX-License-Identifier: Apache-2.0
// The mean of each row.
#pragma once

#include "sum.h"

namespace AscendC {

struct MeanParams {
  uint32_t outter = 1;  // rows
  uint32_t inner;       // elements from row to row, of which the bytes are a multiple of 32
  uint32_t n;           // elements of a row
};

}  // namespace AscendC

namespace sim {

// half is summed in half, or in float where accType is float: then the work memory holds the row as floats,
// and behind it the sums of its repeats.
template <typename T, typename U>
void MeanOfRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, const Bytes *given,
                const AscendC::MeanParams &params, Where where) {
  static_assert(kOneOf<T, half, float> && (std::is_same_v<T, U> || std::is_same_v<U, float>),
                "Mean: half, float, or half summed in float on Atlas A2");
  CheckRange(Core::Current(), FaultKind::kCount_, "Mean", where, "meanParams.n", params.n, 1, params.inner);
  constexpr bool kWiden = !std::is_same_v<T, U>;
  const Bytes work = WorkOf(given, where);
  const uint32_t row_bytes = kWiden ? params.inner * static_cast<uint32_t>(sizeof(U)) : 0;
  // As many bytes as the row has repeats, in whole data blocks.
  const uint64_t sum_bytes = AlignUp(CeilDivide(params.n, kLanesOf<U>), kBlockBytes);
  CheckWork("Mean", work, row_bytes + sum_bytes, where);
  const AscendC::LocalTensor<U> sums = As<U>(work[row_bytes]);
  for (uint32_t row = 0; row < params.outter; ++row) {
    const AscendC::LocalTensor<T> from = src[row * params.inner];
    const Stage one(1, where);
    if constexpr (kWiden) {
      Stage(params.n, where).Convert(As<U>(work), from, RoundMode::CAST_NONE);
      SumOfRow(sums, As<U>(work), params.n, sums, where);
      one.Muls(sums, sums, 1.0F / static_cast<float>(params.n));
      // One element at any place: a reduction may write there, a conversion only where a data block begins.
      one.Convert(As<T>(work), sums, RoundMode::CAST_NONE);
      AscendC::WholeReduceSum(dst[row], As<T>(work), 1, 1, 1, 1, 8, where);
    } else {
      SumOfRow(sums, from, params.n, sums, where);
      AscendC::Muls(sums, sums, static_cast<T>(1.0F / static_cast<float>(params.n)), 1, where);
      AscendC::PipeBarrier<PIPE_V>(where);
      AscendC::WholeReduceSum(dst[row], sums, 1, 1, 1, 1, 8, where);
    }
    AscendC::PipeBarrier<PIPE_V>(where);
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const MeanParams &meanParams,
                            sim::Where where = sim::Where::Here()) {
  static_assert(reduceDim == -1, "Mean: the last axis is the only one");
  sim::MeanOfRows<T, accType>(dstTensor, srcTensor, &sharedTmpBuffer, meanParams, where);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                            const MeanParams &meanParams, sim::Where where = sim::Where::Here()) {
  static_assert(reduceDim == -1, "Mean: the last axis is the only one");
  sim::MeanOfRows<T, accType>(dstTensor, srcTensor, nullptr, meanParams, where);
}

}  // namespace AscendC
