// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix in the format NZ: columns of fractals, 16 elements wide, one behind the other.
//
//   16 columns:  row 0 | row 1 | … | row M-1     the next 16 columns:  row 0 | row 1 | … | row M-1
#pragma once

#include "../../kernel_operator_data_copy_intf.h"
#include "sim_softmax_shape.h"

namespace sim {

// As WideRows: a row as floats in the work memory behind a RowValue.
template <typename T>
class FractalRows {
 public:
  FractalRows(const char *name, const Bytes &work, const RowShape &shape, Where where)
      : shape_(shape), where_(where) {
    const uint64_t row_bytes = AlignUp(shape.columns, kSide) * sizeof(float);
    CheckWork(name, work, RowValue::kBytes + row_bytes, where);
    wide_ = As<float>(work[static_cast<uint32_t>(RowValue::kBytes)]);
  }
  Floats Load(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    EachPiece(row, [&](const Floats &wide, uint32_t at, uint32_t lanes) {
      Convert(wide, tensor[at], AscendC::RoundMode::CAST_NONE, lanes);
    });
    return wide_;
  }
  Floats Place(const AscendC::LocalTensor<T> &, uint32_t) const { return wide_; }
  void Store(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    EachPiece(row, [&](const Floats &wide, uint32_t at, uint32_t lanes) {
      Convert(tensor[at], wide, AscendC::RoundMode::CAST_RINT, lanes);
    });
  }

 private:
  static constexpr uint32_t kSide = 16;

  template <typename To, typename From>
  void Convert(const AscendC::LocalTensor<To> &to, const AscendC::LocalTensor<From> &from,
               AscendC::RoundMode mode, uint32_t lanes) const {
    const AscendC::UnaryRepeatParams params(1, 1, kSide * sizeof(To) / kBlockBytes,
                                            kSide * sizeof(From) / kBlockBytes);
    if constexpr (std::is_same_v<To, From>) {
      AscendC::Muls(to, from, 1.0F, uint64_t{lanes}, uint8_t{1}, params, where_);
    } else {
      AscendC::Cast(to, from, mode, uint64_t{lanes}, uint8_t{1}, params, where_);
    }
  }

  // Calls piece(its floats, where it begins in the tensor, its elements) for the part of a row in each column
  // of fractals.
  template <typename Piece>
  void EachPiece(uint32_t row, const Piece &piece) const {
    for (uint32_t column = 0; column < shape_.columns; column += kSide) {
      piece(wide_[column], (column / kSide * shape_.rows + row) * kSide,
            std::min(kSide, shape_.columns - column));
    }
    AscendC::PipeBarrier<PIPE_V>(where_);
  }

  Floats wide_;
  RowShape shape_;
  Where where_;
};

template <bool in_fractals>
struct RowsOf {
  template <typename T>
  using Rows = WideRows<T>;
};
template <>
struct RowsOf<true> {
  template <typename T>
  using Rows = FractalRows<T>;
};

}  // namespace sim
