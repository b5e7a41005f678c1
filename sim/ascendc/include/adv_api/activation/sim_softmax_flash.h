// SPDX-License-Identifier: Apache-2.0
// The softmax of rows of which only a part is there at a time. A call takes the maximum and the sum of the
// parts before, and gives those of all parts so far.
//
//   max' = max(max, row)     e = exp(max - max')     y = exp(row - max')     sum' = e sum + sum(y)
#pragma once

#include "sim_fractal_rows.h"

namespace sim {

template <typename T, typename U>
struct FlashOperands {
  const AscendC::LocalTensor<T> &dst;
  const AscendC::LocalTensor<U> &sum;
  const AscendC::LocalTensor<U> &max;
  const AscendC::LocalTensor<T> &src;
  const AscendC::LocalTensor<T> &factor;  // e
  const AscendC::LocalTensor<U> &old_sum;
  const AscendC::LocalTensor<U> &old_max;
  const AscendC::LocalTensor<U> *row_max;  // of this part alone; may be null
};

// How values of rows lie in tensors: a data block of equal lanes for each row, or, where `alone`, one
// element.
template <bool alone>
struct ValuesOfRows {
  Where where;

  template <typename T>
  AscendC::LocalTensor<T> At(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    return tensor[alone ? row : row * kBlockLanes<T>];
  }
  template <typename T>
  void Store(const RowValue &value, const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    if constexpr (alone) {
      value.Put(At(tensor, row));
    } else {
      value.Store(At(tensor, row));
    }
  }
  // One lane as a float. A vector instruction reads where a data block begins.
  template <typename T>
  void Load(const Floats &cell, const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    const Stage one(1, where);
    if constexpr (alone) {
      Order(Pipe::V, Pipe::S, where);
      const float value = ReadValue(tensor, row, where);
      Order(Pipe::S, Pipe::V, where);
      one.Fill(cell, value);
    } else {
      LoadLanes(one, cell, At(tensor, row));
    }
  }
};

// Work memory: two values of a row, a block, and for half the row as floats.
template <template <typename> class Rows, bool update, bool divide, bool alone, typename T, typename U>
void FlashRows(const char *name, const FlashOperands<T, U> &o, const Bytes *given, const RowShape &shape,
               Where where) {
  static_assert(kOneOf<T, half, float>, "SoftmaxFlash: for half and float on Atlas A2");
  const Bytes work = WorkOf(given, where);
  CheckWork(name, work, 2 * RowValue::kBytes + kBlockBytes, where);
  const auto part = [&](uint64_t at) { return work[static_cast<uint32_t>(at)]; };
  RowValue factor(work, where), value(part(RowValue::kBytes), where);
  const Floats cell = As<float>(part(2 * RowValue::kBytes));
  const Rows<T> rows(name, part(RowValue::kBytes + kBlockBytes), shape, where);
  const ValuesOfRows<alone> values{where};
  const Stage stage(shape.columns, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const Floats x = rows.Load(o.src, row), y = rows.Place(o.dst, row);
    value.Max(x, shape.columns);
    if (o.row_max != nullptr) values.Store(value, *o.row_max, row);
    if constexpr (update) {
      values.Load(cell, o.old_max, row);
      value.Change([&](const Stage &v, const Floats &max) { v.Max(max, max, cell); });
      factor.Change([&](const Stage &v, const Floats &e) {
        v.Sub(e, cell, value.block());
        v.Exp(e, e);
      });
      values.Load(cell, o.old_sum, row);
    }
    values.Store(value, o.max, row);
    WithRowValue(kSubRow, y, x, value.block(), shape.columns, where);
    stage.Exp(y, y);
    value.Sum(y, shape.columns);
    if constexpr (update) {
      if (!divide) values.Store(factor, o.factor, row);
      factor.Change([&](const Stage &v, const Floats &e) { v.Mul(e, e, cell); });
      value.Change([&](const Stage &v, const Floats &sum) { v.Add(sum, sum, factor.block()); });
      if (divide) {
        factor.Change([&](const Stage &v, const Floats &e) { v.Div(e, e, value.block()); });
        values.Store(factor, o.factor, row);
      }
    }
    values.Store(value, o.sum, row);
    if (divide) WithRowValue(kDivRow, y, y, value.block(), shape.columns, where);
    rows.Store(o.dst, row);
  }
}

}  // namespace sim
