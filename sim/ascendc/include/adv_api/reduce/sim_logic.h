// SPDX-License-Identifier: Apache-2.0
// Products and logical reductions of a matrix. Logical reductions are the least and the greatest of floats
// that are 0 or 1, and the bits that all bytes have, or any.
#pragma once

#include "sim_matrix.h"

namespace sim {

// The product of a row: lane by lane to one repeat, which is folded to a data block; the scalar unit
// multiplies its lanes. `work` is a repeat.
inline float ProductOfRow(const Floats &row, uint32_t count, const Floats &work, Where where) {
  const auto times = [&](const Floats &by, uint32_t lanes) { Stage(lanes, where).Mul(work, work, by); };
  Stage(kFloatLanes, where).Fill(work, 1);
  for (uint32_t done = 0; done < count; done += kFloatLanes)
    times(row[done], std::min(kFloatLanes, count - done));
  for (uint32_t lanes = kFloatLanes / 2; lanes >= kBlockBytes / sizeof(float); lanes /= 2) {
    times(work[lanes], lanes);
  }
  Order(Pipe::V, Pipe::S, where);
  float product = 1;
  for (uint32_t i = 0; i < kBlockBytes / sizeof(float); ++i) product *= work.GetValue(i, where);
  Order(Pipe::S, Pipe::V, where);
  return product;
}

template <typename Axis, typename T>
void ReduceToProd(const MatrixReduction &matrix, const AscendC::LocalTensor<T> &dst,
                  const AscendC::LocalTensor<T> &src, const Bytes *given) {
  static_assert(kOneOf<T, float>, "ReduceProd: for float on Atlas A2");
  if constexpr (IsOverColumns<Axis>()) {
    const Bytes work = WorkOf(given, matrix.where);
    CheckWork(matrix.name, work, kRepeatBytes, matrix.where);
    for (uint32_t row = 0; row < matrix.rows(); ++row) {
      const float product =
          ProductOfRow(src[row * matrix.Stride<T>()], matrix.columns(), As<float>(work), matrix.where);
      dst.SetValue(row, product, matrix.where);
    }
    Order(Pipe::S, Pipe::V, matrix.where);
  } else {
    matrix.OverRows(dst, src, [&](const auto &...operands) { AscendC::Mul(operands..., matrix.where); });
  }
}

// Bytes: rows as words of 16 bits; along a row the scalar unit folds.
template <typename Axis, typename Fold, typename FoldBytes>
void ReduceBytes(const MatrixReduction &matrix, const Bytes &dst, const Bytes &src, const Fold &fold,
                 const FoldBytes &fold_bytes) {
  const uint32_t stride = matrix.Stride<uint8_t>();
  if constexpr (IsOverColumns<Axis>()) {
    Order(Pipe::V, Pipe::S, matrix.where);
    for (uint32_t row = 0; row < matrix.rows(); ++row) {
      uint8_t all = src.GetValue(row * stride, matrix.where);
      for (uint32_t i = 1; i < matrix.columns(); ++i) {
        all = fold_bytes(all, src.GetValue(row * stride + i, matrix.where));
      }
      dst.SetValue(row, all, matrix.where);
    }
    Order(Pipe::S, Pipe::V, matrix.where);
  } else {
    const auto words = [](const Bytes &bytes) { return As<uint16_t>(bytes); };
    const auto n = static_cast<int32_t>(CeilDivide(matrix.columns(), sizeof(uint16_t)));
    for (uint32_t row = 0; row < matrix.rows(); ++row) {
      fold(words(dst), words(row == 0 ? src : dst), words(src[row * stride]), n, matrix.where);
      AscendC::PipeBarrier<PIPE_V>(matrix.where);
    }
  }
}

#define SIM_REDUCE_LOGIC(Name, Extreme, Instruction, operation)                                     \
  template <typename Axis, typename T>                                                              \
  void ReduceTo##Name(const MatrixReduction &matrix, const AscendC::LocalTensor<T> &dst,            \
                      const AscendC::LocalTensor<T> &src, const Bytes *work) {                      \
    static_assert(kOneOf<T, uint8_t, float>, "Reduce" #Name ": for uint8_t and float on Atlas A2"); \
    if constexpr (std::is_same_v<T, float>) {                                                       \
      ReduceTo##Extreme<Axis>(matrix, dst, src, work);                                              \
    } else {                                                                                        \
      ReduceBytes<Axis>(                                                                            \
          matrix, dst, src, [](const auto &...operands) { AscendC::Instruction(operands...); },     \
          [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a operation b); });                \
    }                                                                                               \
  }
SIM_REDUCE_LOGIC(All, Min, And, &)
SIM_REDUCE_LOGIC(Any, Max, Or, |)
#undef SIM_REDUCE_LOGIC

}  // namespace sim
