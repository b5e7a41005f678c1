// SPDX-License-Identifier: Apache-2.0
// x / sqrt(mean(x^2) + epsilon) times gamma, for each row. half is computed in float. The scalar unit reads
// the sum of each row, as there is no work memory to spread it.
#pragma once

#include <cmath>

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "../reduce/sim_rows.h"

namespace sim {

// Work memory: the sum, the squares of a row, and for half the row as floats.
template <typename T>
void RmsNormRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                 const AscendC::LocalTensor<T> &gamma, const Bytes *given, float epsilon,
                 const AscendC::tiling::RmsNormTiling &tiling, Where where) {
  static_assert(kOneOf<T, half, float>, "RmsNorm: for half and float on Atlas A2");
  constexpr bool kNarrow = std::is_same_v<T, half>;
  const uint32_t stride = tiling.hLength, columns = tiling.originalHLength;
  const auto row_bytes = static_cast<uint32_t>(stride * sizeof(float));
  const Bytes work = WorkOf(given, where);
  CheckWork("RmsNorm", work, row_bytes * (kNarrow ? 2 : 1) + kBlockBytes, where);
  const Floats sum = As<float>(work), squares = As<float>(work[kBlockBytes]);
  const Stage stage(columns, where);
  for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; ++row) {
    const AscendC::LocalTensor<T> to = dst[row * stride], from = src[row * stride];
    Floats x, y;
    if constexpr (kNarrow) {
      x = y = As<float>(work[static_cast<uint32_t>(kBlockBytes) + row_bytes]);
      stage.Convert(x, from, RoundMode::CAST_NONE);
    } else {
      x = from;
      y = to;
    }
    stage.Mul(squares, x, x);
    SumOfRow(sum, squares, columns, squares, where);
    Order(Pipe::V, Pipe::S, where);
    const float mean = sum.GetValue(0, where) * tiling.reciprocalOfHLength;
    Order(Pipe::S, Pipe::V, where);
    stage.Muls(y, x, 1 / std::sqrt(mean + epsilon));
    if constexpr (kNarrow) {
      stage.Convert(squares, gamma, RoundMode::CAST_NONE);
      stage.Mul(y, y, squares);
      stage.Convert(to, y, RoundMode::CAST_RINT);
    } else {
      stage.Mul(y, y, gamma);
    }
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<T> &gammaLocal, const LocalTensor<uint8_t> &sharedTmpBuffer,
                               const T epsilon, const RmsNormTiling &tiling,
                               sim::Where where = sim::Where::Here()) {
  sim::RmsNormRows(dstLocal, srcLocal, gammaLocal, &sharedTmpBuffer, static_cast<float>(epsilon), tiling,
                   where);
}
template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<T> &gammaLocal, const T epsilon, const RmsNormTiling &tiling,
                               sim::Where where = sim::Where::Here()) {
  sim::RmsNormRows(dstLocal, srcLocal, gammaLocal, nullptr, static_cast<float>(epsilon), tiling, where);
}

}  // namespace AscendC
