// SPDX-License-Identifier: Apache-2.0
// Work memory of functions on rows, and values of rows that stand one behind the other.
#pragma once

#include "sim_row_value.h"

namespace sim {

// Work memory: the value of a row, and `rows` rows of floats behind it.
class RowWork {
 public:
  RowWork(const char *name, const Bytes *given, uint32_t columns, uint32_t rows, Where where)
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

}  // namespace sim
