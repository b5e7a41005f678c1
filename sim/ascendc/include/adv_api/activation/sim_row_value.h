// SPDX-License-Identifier: Apache-2.0
// One value for a row of a matrix, as functions of the softmax family give and take it: a data block of equal
// lanes, 8 floats or 16 halves.
#pragma once

#include "../../kernel_operator_vec_brcb_intf.h"
#include "../reduce/sim_rows.h"

namespace sim {

template <typename T>
constexpr uint32_t kBlockLanes = kBlockBytes / sizeof(T);

// dst = src combined with a block of 8 equal floats: a stride of 0 from block to block repeats it over the
// row. Instruction is Sub, Mul or Div with a mask.
template <typename Instruction>
void WithRowValue(const Instruction &instruction, const Floats &dst, const Floats &src, const Floats &block,
                  uint32_t columns, Where where) {
  const AscendC::BinaryRepeatParams params(1, 1, 0, 8, 8, 0);
  const uint32_t whole = columns / kFloatLanes, rest = columns % kFloatLanes;
  InChunks(whole, [&](int64_t first, int64_t repeats) {
    const uint32_t at = static_cast<uint32_t>(first) * kFloatLanes;
    instruction(dst[at], src[at], block, uint64_t{kFloatLanes}, static_cast<uint8_t>(repeats), params, where);
  });
  if (rest > 0) {
    const uint32_t at = whole * kFloatLanes;
    instruction(dst[at], src[at], block, uint64_t{rest}, uint8_t{1}, params, where);
  }
  AscendC::PipeBarrier<PIPE_V>(where);
}
constexpr auto kSubRow = [](const auto &...operands) { AscendC::Sub(operands...); };
constexpr auto kMulRow = [](const auto &...operands) { AscendC::Mul(operands...); };
constexpr auto kDivRow = [](const auto &...operands) { AscendC::Div(operands...); };

// Memory for the value of one row at a time: eight values, of which the first ones count, and a repeat. Rows
// are folded in the repeat, and then it takes blocks of the values.
class RowValue {
 public:
  static constexpr uint64_t kBytes = kBlockBytes + kRepeatBytes;

  RowValue(const Bytes &work, Where where)
      : values_(As<float>(work)), blocks_(As<float>(work[kBlockBytes])), where_(where) {
    values_.bytes = kBlockBytes;
    blocks_.bytes = kRepeatBytes;
    // Brcb reads all eight.
    Stage(kBlockLanes<float>, where).Fill(values_, 0);
  }

  // The block of the value, valid until the next call.
  const Floats &block() const { return blocks_; }
  void Max(const Floats &row, uint32_t columns) {
    FoldRow(
        values_, row, columns, blocks_,
        [this](const Floats &y, const Floats &a, const Floats &b, int32_t n) {
          AscendC::Max(y, a, b, n, where_);
        },
        [this](const Floats &y, const Floats &a, int32_t n) {
          AscendC::WholeReduceMax(y, a, n, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE, where_);
          AscendC::PipeBarrier<PIPE_V>(where_);
        },
        where_);
    Spread();
  }
  void Sum(const Floats &row, uint32_t columns) {
    SumOfRow(values_, row, columns, blocks_, where_);
    Spread();
  }
  // Runs a step on the value itself, such as a root, before its block is made again.
  template <typename Step>
  void Change(const Step &step) {
    step(Stage(1, where_), values_);
    Spread();
  }
  // The value becomes 1 / value.
  void Invert() {
    const Stage one(1, where_);
    one.Fill(blocks_, 1);
    one.Div(values_, blocks_, values_);
    Spread();
  }
  // Writes the value to one element. A reduction may write it at any place, a conversion only where a data
  // block begins.
  template <typename T>
  void Put(const AscendC::LocalTensor<T> &to) const {
    if constexpr (std::is_same_v<T, float>) {
      AscendC::WholeReduceSum(to, values_, 1, 1, 1, 1, 8, where_);
    } else {
      const AscendC::LocalTensor<T> narrow = As<T>(blocks_[4 * kBlockLanes<float>]);
      Stage(1, where_).Convert(narrow, values_, RoundMode::CAST_RINT);
      AscendC::WholeReduceSum(to, narrow, 1, 1, 1, 1, 8, where_);
    }
    AscendC::PipeBarrier<PIPE_V>(where_);
  }
  template <typename T>
  void Store(const AscendC::LocalTensor<T> &to) const {
    const Stage stage(kBlockLanes<T>, where_);
    if constexpr (std::is_same_v<T, float>) {
      stage.Muls(to, blocks_, 1);
    } else {
      stage.Convert(to, blocks_, RoundMode::CAST_RINT);
    }
  }
  template <typename T>
  void Load(const AscendC::LocalTensor<T> &from) {
    const Stage stage(kBlockLanes<T>, where_);
    if constexpr (std::is_same_v<T, float>) {
      stage.Muls(blocks_, from, 1);
    } else {
      stage.Convert(blocks_, from, RoundMode::CAST_NONE);
    }
  }

 private:
  // Two blocks of the value, as a data block of half has 16 lanes.
  void Spread() {
    AscendC::WholeReduceSum(values_[1], values_, 1, 1, 1, 1, 8, where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
    AscendC::Brcb(blocks_, values_, 1, AscendC::BrcbRepeatParams(1, 8), where_);
    AscendC::PipeBarrier<PIPE_V>(where_);
  }

  Floats values_, blocks_;
  Where where_;
};

// The shape of a matrix whose rows begin at multiples of 32 bytes.
struct RowShape {
  uint32_t rows;
  uint32_t stride;   // elements from row to row
  uint32_t columns;  // elements of a row
};

// Rows as floats: float where it lies, narrower types in work memory behind a RowValue.
template <typename T>
class WideRows {
 public:
  static constexpr bool kNarrow = !std::is_same_v<T, float>;

  WideRows(const char *name, const Bytes &work, const RowShape &shape, Where where)
      : wide_(As<float>(work)), shape_(shape), where_(where) {
    const uint64_t row_bytes = kNarrow ? AlignUp(shape.columns * sizeof(float), kBlockBytes) : 0;
    CheckWork(name, work, RowValue::kBytes + row_bytes, where);
    if (kNarrow) wide_ = As<float>(work[static_cast<uint32_t>(RowValue::kBytes)]);
  }
  Floats Load(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    const AscendC::LocalTensor<T> from = tensor[row * shape_.stride];
    if constexpr (kNarrow) {
      Stage(shape_.columns, where_).Convert(wide_, from, RoundMode::CAST_NONE);
      return wide_;
    } else {
      return from;
    }
  }
  // Where the result of a row is computed.
  Floats Place(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    if constexpr (kNarrow) {
      return wide_;
    } else {
      return tensor[row * shape_.stride];
    }
  }
  void Store(const AscendC::LocalTensor<T> &tensor, uint32_t row) const {
    if constexpr (kNarrow) {
      Stage(shape_.columns, where_).Convert(tensor[row * shape_.stride], wide_, RoundMode::CAST_RINT);
    }
  }

 private:
  Floats wide_;
  RowShape shape_;
  Where where_;
};

}  // namespace sim
