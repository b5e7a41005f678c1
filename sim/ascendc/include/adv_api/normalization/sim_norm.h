// SPDX-License-Identifier: Apache-2.0
// What normalisations of rows share. Sums take the elements of a row; all else is computed in its padding
// too, so that a whole row may be copied afterwards.
#pragma once

#include <cmath>

#include "../activation/sim_row_work.h"

namespace sim {

// What BatchNorm and GroupNorm take and give.
template <typename T>
struct NormOperands {
  const AscendC::LocalTensor<T> &output;
  const AscendC::LocalTensor<T> &mean;
  const AscendC::LocalTensor<T> &variance;
  const AscendC::LocalTensor<T> &x;
  const AscendC::LocalTensor<T> &gamma;
  const AscendC::LocalTensor<T> &beta;
};

// y becomes x without its mean, and the value of the work memory the mean of its squares: the variance.
// `squares` is a row.
template <typename T>
void Centre(RowWork &work, const RowShape &shape, const Floats &y, const Floats &x, const Floats &squares,
            const AscendC::LocalTensor<T> *mean, Where where) {
  RowValue &value = work.value();
  const float share = 1.0F / static_cast<float>(shape.columns);
  const auto average = [share](const Stage &v, const Floats &sum) { v.Muls(sum, sum, share); };
  value.Sum(x, shape.columns);
  value.Change(average);
  if (mean != nullptr) value.Put(*mean);
  WithRowValue(kSubRow, y, x, value.block(), shape.stride, where);
  Stage(shape.columns, where).Mul(squares, y, y);
  value.Sum(squares, shape.columns);
  value.Change(average);
}

// y = y / sqrt(variance + epsilon), with the variance in the value of the work memory, which becomes the
// root.
inline void DivideByDeviation(RowWork &work, const RowShape &shape, const Floats &y, float epsilon,
                              Where where) {
  work.value().Change([epsilon](const Stage &v, const Floats &variance) {
    v.Adds(variance, variance, epsilon);
    v.Sqrt(variance, variance);
  });
  WithRowValue(kDivRow, y, y, work.value().block(), shape.stride, where);
}

// y = y gamma + beta, where there is a gamma and a beta. Narrow ones become floats in row i of the work
// memory.
template <typename T>
void ScaleAndShift(const RowWork &work, const RowShape &shape, const Floats &y,
                   const AscendC::LocalTensor<T> *gamma, const AscendC::LocalTensor<T> *beta, uint32_t i,
                   Where where) {
  const Stage stage(shape.stride, where);
  if (gamma != nullptr) stage.Mul(y, y, work.Wide(*gamma, shape.stride, i));
  if (beta != nullptr) stage.Add(y, y, work.Wide(*beta, shape.stride, i));
}

}  // namespace sim
