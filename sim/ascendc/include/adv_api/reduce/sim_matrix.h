// SPDX-License-Identifier: Apache-2.0
// The sums, the means and the extremes of a matrix over one of its axes.
#pragma once

#include "reduce_common.h"
#include "sim_rows.h"

namespace sim {

struct MatrixReduction {
  const char *name;
  const uint32_t *shape;
  bool reuse;  // the source may be overwritten
  Where where;

  uint32_t rows() const { return shape[0]; }
  uint32_t columns() const { return shape[1]; }
  template <typename T>
  uint32_t Stride() const {
    return static_cast<uint32_t>(AlignUp(shape[1] * sizeof(T), kBlockBytes) / sizeof(T));
  }
  void Check(bool padded) const {
    if (padded) return;
    Core::Current().Fail(FaultKind::kOther, name, where, "srcInnerPad must be true on Atlas A2, got false");
  }

  // Folds the rows into the result, one after the other.
  template <typename T, typename Fold>
  void OverRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                const Fold &fold) const {
    const auto n = static_cast<int32_t>(columns());
    if (rows() == 1) {
      AscendC::Muls(dst, src, static_cast<T>(1.0F), n, where);
    } else {
      fold(dst, src, src[Stride<T>()], n);
    }
    for (uint32_t row = 2; row < rows(); ++row) {
      AscendC::PipeBarrier<PIPE_V>(where);
      fold(dst, dst, src[row * Stride<T>()], n);
    }
    AscendC::PipeBarrier<PIPE_V>(where);
  }
  // Calls reduce(result, row, work memory). Rows of one repeat need none; else it is the row itself or what
  // the caller gives.
  template <typename T, typename Reduce>
  void OverColumns(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, const Bytes *given,
                   uint64_t needs, const Reduce &reduce) const {
    const bool own = reuse || columns() <= kLanesOf<T>;
    const Bytes work = own ? Bytes() : WorkOf(given, where);
    if (!own) CheckWork(name, work, needs, where);
    for (uint32_t row = 0; row < rows(); ++row) {
      const AscendC::LocalTensor<T> from = src[row * Stride<T>()];
      reduce(dst[row], from, own ? from : As<T>(work));
    }
    AscendC::PipeBarrier<PIPE_V>(where);
  }
};

template <typename Axis>
constexpr bool IsOverColumns() {
  static_assert(kOneOf<Axis, AscendC::Pattern::Reduce::AR, AscendC::Pattern::Reduce::RA>,
                "the pattern is AscendC::Pattern::Reduce::AR or RA");
  return std::is_same_v<Axis, AscendC::Pattern::Reduce::AR>;
}

template <typename Axis, typename T>
void ReduceToSum(const MatrixReduction &matrix, const AscendC::LocalTensor<T> &dst,
                 const AscendC::LocalTensor<T> &src, const Bytes *work) {
  static_assert(kOneOf<T, float>, "sums of a matrix: for float on Atlas A2");
  if constexpr (IsOverColumns<Axis>()) {
    const uint64_t sums = CeilDivide(matrix.columns(), kLanesOf<T>) * sizeof(T);
    matrix.OverColumns(dst, src, work, sums, [&](const auto &to, const auto &row, const auto &memory) {
      SumOfRow(to, row, matrix.columns(), memory, matrix.where);
    });
  } else {
    matrix.OverRows(dst, src, [&](const auto &...operands) { AscendC::Add(operands..., matrix.where); });
  }
}
template <typename Axis, typename T>
void ReduceToMean(const MatrixReduction &matrix, const AscendC::LocalTensor<T> &dst,
                  const AscendC::LocalTensor<T> &src, const Bytes *work) {
  ReduceToSum<Axis>(matrix, dst, src, work);
  const bool last = IsOverColumns<Axis>();
  const auto count = static_cast<float>(last ? matrix.columns() : matrix.rows());
  Stage(last ? matrix.rows() : matrix.columns(), matrix.where).Muls(dst, dst, 1 / count);
}

#define SIM_REDUCE_EXTREME(Name, Instruction)                                                                \
  template <typename Axis, typename T>                                                                       \
  void ReduceTo##Name(const MatrixReduction &matrix, const AscendC::LocalTensor<T> &dst,                     \
                      const AscendC::LocalTensor<T> &src, const Bytes *work) {                               \
    static_assert(kOneOf<T, half, float>, "extremes of a matrix: for half and float on Atlas A2");           \
    const auto fold = [&](const auto &...operands) { AscendC::Name(operands..., matrix.where); };            \
    if constexpr (IsOverColumns<Axis>()) {                                                                   \
      const auto last = [&](const auto &to, const auto &from, int32_t n) {                                   \
        AscendC::Instruction(to, from, n, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE, matrix.where);          \
      };                                                                                                     \
      matrix.OverColumns(dst, src, work, kRepeatBytes, [&](const auto &to, const auto &row, const auto &m) { \
        FoldRow(to, row, matrix.columns(), m, fold, last, matrix.where);                                     \
      });                                                                                                    \
    } else {                                                                                                 \
      matrix.OverRows(dst, src, fold);                                                                       \
    }                                                                                                        \
  }
SIM_REDUCE_EXTREME(Max, WholeReduceMax)
SIM_REDUCE_EXTREME(Min, WholeReduceMin)
#undef SIM_REDUCE_EXTREME

}  // namespace sim
