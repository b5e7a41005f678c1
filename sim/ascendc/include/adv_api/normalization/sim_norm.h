// SPDX-License-Identifier: Apache-2.0
// What normalisations of rows share: work memory, values of a row that stand one behind the other, and the
// normalisation itself. Sums take the elements of a row; all else is computed in its padding too, so that a
// whole row may be copied afterwards.
#pragma once

#include <cmath>

#include "../activation/sim_row_value.h"

namespace sim {

// Work memory: the value of a row, and `rows` rows of floats behind it.
class NormWork {
 public:
  NormWork(const char *name, const Bytes *given, uint32_t columns, uint32_t rows, Where where)
      : memory_(WorkOf(given, where)),
        row_bytes_(static_cast<uint32_t>(AlignUp(columns * sizeof(float), kBlockBytes))),
        where_(Enough(name, rows, where)),
        value_(memory_, where) {}

  Floats operator[](uint32_t i) const {
    return As<float>(memory_[static_cast<uint32_t>(RowValue::kBytes) + i * row_bytes_]);
  }
  RowValue &value() { return value_; }
  // A row as floats: itself, or in row i of the work memory.
  template <typename T>
  Floats Wide(const AscendC::LocalTensor<T> &from, uint32_t columns, uint32_t i) const {
    if constexpr (std::is_same_v<T, float>) {
      return from;
    } else {
      Stage(columns, where_).Convert((*this)[i], from, RoundMode::CAST_NONE);
      return (*this)[i];
    }
  }
  // Where floats of a row are computed that Store brings there.
  template <typename T>
  Floats Place(const AscendC::LocalTensor<T> &to, uint32_t i) const {
    if constexpr (std::is_same_v<T, float>) {
      return to;
    } else {
      return (*this)[i];
    }
  }
  template <typename T>
  void Store(const AscendC::LocalTensor<T> &to, const Floats &row, uint32_t columns) const {
    if constexpr (!std::is_same_v<T, float>) {
      Stage(columns, where_).Convert(to, row, RoundMode::CAST_RINT);
    }
  }

 private:
  Where Enough(const char *name, uint32_t rows, Where where) const {
    CheckWork(name, memory_, RowValue::kBytes + uint64_t{rows} * row_bytes_, where);
    return where;
  }

  Bytes memory_;
  uint32_t row_bytes_;
  Where where_;
  RowValue value_;
};

// Floats to and from a tensor that may be narrower.
template <typename T>
void StoreLanes(const Stage &stage, const AscendC::LocalTensor<T> &to, const Floats &from) {
  if constexpr (std::is_same_v<T, float>) {
    stage.Muls(to, from, 1);
  } else {
    stage.Convert(to, from, RoundMode::CAST_RINT);
  }
}
template <typename T>
void LoadLanes(const Stage &stage, const Floats &to, const AscendC::LocalTensor<T> &from) {
  if constexpr (std::is_same_v<T, float>) {
    stage.Muls(to, from, 1);
  } else {
    stage.Convert(to, from, RoundMode::CAST_NONE);
  }
}

// Element i of a tensor that the vector unit or a copy has written. The caller lets the scalar unit wait.
template <typename T>
float ReadValue(const AscendC::LocalTensor<T> &tensor, uint32_t i, Where where) {
  return static_cast<float>(tensor.GetValue(i, where));
}

// The sum of a row, for the scalar unit. `scratch` has the lanes of a repeat, and may lie where the row lies.
inline float ReadSum(const Floats &row, uint32_t columns, const Floats &scratch, Where where) {
  SumOfRow(scratch, row, columns, scratch, where);
  Order(Pipe::V, Pipe::S, where);
  const float sum = scratch.GetValue(0, where);
  Order(Pipe::S, Pipe::V, where);
  return sum;
}

// y becomes x without its mean, and the value of the work memory the mean of its squares: the variance.
// `squares` is a row.
template <typename T>
void Centre(NormWork &work, const RowShape &shape, const Floats &y, const Floats &x, const Floats &squares,
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

// y = y / sqrt(variance + epsilon), with the variance in the value of the work memory, which becomes the root.
inline void DivideByDeviation(NormWork &work, const RowShape &shape, const Floats &y, float epsilon,
                              Where where) {
  work.value().Change([epsilon](const Stage &v, const Floats &variance) {
    v.Adds(variance, variance, epsilon);
    v.Sqrt(variance, variance);
  });
  WithRowValue(kDivRow, y, y, work.value().block(), shape.stride, where);
}

// y = y gamma + beta, where there is a gamma and a beta. Narrow ones become floats in row i of the work memory.
template <typename T>
void ScaleAndShift(const NormWork &work, const RowShape &shape, const Floats &y,
                   const AscendC::LocalTensor<T> *gamma, const AscendC::LocalTensor<T> *beta, uint32_t i,
                   Where where) {
  const Stage stage(shape.stride, where);
  if (gamma != nullptr) stage.Mul(y, y, work.Wide(*gamma, shape.stride, i));
  if (beta != nullptr) stage.Add(y, y, work.Wide(*beta, shape.stride, i));
}

}  // namespace sim
