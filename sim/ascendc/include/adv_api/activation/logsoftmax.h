// SPDX-License-Identifier: Apache-2.0
// The logarithm to base 10 of the softmax of each row, with the maximum and the sum of a row as blocks of
// equal lanes. Results below the least float are -inf. half is computed in float.
#pragma once

#include "sim_fractal_rows.h"

namespace sim {

// Rows: WideRows or FractalRows.
template <template <typename> class Rows, typename T>
void LogSoftMaxRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &sum,
                    const AscendC::LocalTensor<T> &max, const AscendC::LocalTensor<T> &src,
                    const Bytes *given, const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float>, "LogSoftMax: for half and float on Atlas A2");
  constexpr float kDecimal = 0.4342944819F;
  const Bytes work = WorkOf(given, where);
  const Rows<T> rows("LogSoftMax", work, shape, where);
  RowValue value(work, where);
  const Stage stage(shape.columns, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const Floats x = rows.Load(src, row), y = rows.Place(dst, row);
    value.Max(x, shape.columns);
    value.Store(max[row * kBlockLanes<T>]);
    WithRowValue(kSubRow, y, x, value.block(), shape.columns, where);
    stage.Exp(y, y);
    value.Sum(y, shape.columns);
    value.Store(sum[row * kBlockLanes<T>]);
    WithRowValue(kDivRow, y, y, value.block(), shape.columns, where);
    stage.Ln(y, y);
    stage.Muls(y, y, kDecimal);
    rows.Store(dst, row);
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum,
                                  const LocalTensor<T> &max, const LocalTensor<T> &src,
                                  const LocalTensor<uint8_t> &sharedTmpBuffer, const LogSoftMaxTiling &tiling,
                                  const SoftMaxShapeInfo &softmaxShapeInfo = {},
                                  sim::Where where = sim::Where::Here()) {
  sim::LogSoftMaxRows<sim::RowsOf<isDataFormatNZ>::template Rows>(
      dst, sum, max, src, &sharedTmpBuffer, sim::SoftMaxShape(softmaxShapeInfo, tiling), where);
}

}  // namespace AscendC
