// SPDX-License-Identifier: Apache-2.0
// The sum of each row.
#pragma once

#include "sim_rows.h"

namespace AscendC {

struct SumParams {
  uint32_t outter = 1;  // rows
  uint32_t inner;       // elements from row to row, of which the bytes are a multiple of 32
  uint32_t n;           // elements of a row
};

}  // namespace AscendC

namespace sim {

// Bytes that the documented host function names: a sum for each repeat of a row, in whole data blocks.
template <typename T>
constexpr uint64_t SumWork(uint64_t elements) {
  return AlignUp(CeilDivide(elements, kLanesOf<T>) * sizeof(T), kBlockBytes);
}

template <typename T>
void SumOfRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, const Bytes *given,
               const AscendC::SumParams &params, Where where) {
  static_assert(kOneOf<T, half, float>, "Sum: for half and float on Atlas A2");
  CheckRange(Core::Current(), FaultKind::kCount_, "Sum", where, "sumParams.n", params.n, 1, params.inner);
  const Bytes work = WorkOf(given, where);
  CheckWork("Sum", work, SumWork<T>(params.n), where);
  const AscendC::LocalTensor<T> sums = As<T>(work);
  for (uint32_t row = 0; row < params.outter; ++row) {
    SumOfRow(dst[row], src[row * params.inner], params.n, sums, where);
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const SumParams &sumParams,
                           sim::Where where = sim::Where::Here()) {
  static_assert(reduceDim == -1, "Sum: the last axis is the only one");
  sim::SumOfRows(dstTensor, srcTensor, &sharedTmpBuffer, sumParams, where);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                           const SumParams &sumParams, sim::Where where = sim::Where::Here()) {
  static_assert(reduceDim == -1, "Sum: the last axis is the only one");
  sim::SumOfRows(dstTensor, srcTensor, nullptr, sumParams, where);
}

}  // namespace AscendC
