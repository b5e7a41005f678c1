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
      if constexpr (std::is_same_v<T, float>) {
        const AscendC::UnaryRepeatParams params(1, 1, kPieceBlocks, kPieceBlocks);
        AscendC::Muls(wide, tensor[at], 1.0F, uint64_t{lanes}, uint8_t{1}, params, where_);
      } else {
        const AscendC::UnaryRepeatParams params(1, 1, 2 * kPieceBlocks, kPieceBlocks);
        AscendC::Cast(wide, tensor[at], AscendC::RoundMode::CAST_NONE, uint64_t{lanes}, uint8_t{1}, params,
                      where_);
      }
    });
    return wide_;
  }
  Floats Place(const AscendC::LocalTensor<T> &, uint32_t) const { return wide_; }
  void Store(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    EachPiece(row, [&](const Floats &wide, uint32_t at, uint32_t lanes) {
      if constexpr (std::is_same_v<T, float>) {
        const AscendC::UnaryRepeatParams params(1, 1, kPieceBlocks, kPieceBlocks);
        AscendC::Muls(tensor[at], wide, 1.0F, uint64_t{lanes}, uint8_t{1}, params, where_);
      } else {
        const AscendC::UnaryRepeatParams params(1, 1, kPieceBlocks, 2 * kPieceBlocks);
        AscendC::Cast(tensor[at], wide, AscendC::RoundMode::CAST_RINT, uint64_t{lanes}, uint8_t{1}, params,
                      where_);
      }
    });
  }

 private:
  static constexpr uint32_t kSide = 16;
  static constexpr uint32_t kPieceBlocks = kSide * sizeof(T) / kBlockBytes;

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
