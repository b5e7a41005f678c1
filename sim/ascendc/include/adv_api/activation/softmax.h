// SPDX-License-Identifier: Apache-2.0
// exp(x - max) / sum for each row, with the maximum and the sum of a row as blocks of equal lanes, or without
// them. It is computed row by row, whatever the tiling says, and half in float.
#pragma once

#include "sim_fractal_rows.h"

namespace sim {

// `sum` and `max` may be null. Rows: WideRows or FractalRows.
template <template <typename> class Rows, typename T, typename U>
void SoftMaxRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> *sum,
                 const AscendC::LocalTensor<U> *max, const AscendC::LocalTensor<T> &src, const Bytes *given,
                 const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float>, "SoftMax: for half and float on Atlas A2");
  const Bytes work = WorkOf(given, where);
  const Rows<T> rows("SoftMax", work, shape, where);
  RowValue value(work, where);
  const Stage stage(shape.columns, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const Floats x = rows.Load(src, row), y = rows.Place(dst, row);
    const uint32_t block = row * kBlockLanes<U>;
    value.Max(x, shape.columns);
    if (max != nullptr) value.Store((*max)[block]);
    WithRowValue(kSubRow, y, x, value.block(), shape.columns, where);
    stage.Exp(y, y);
    value.Sum(y, shape.columns);
    if (sum != nullptr) value.Store((*sum)[block]);
    WithRowValue(kDivRow, y, y, value.block(), shape.columns, where);
    rows.Store(dst, row);
  }
}

template <template <typename> class Rows, typename T, typename U>
void SoftMaxRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &sum,
                 const AscendC::LocalTensor<U> &max, const AscendC::LocalTensor<T> &src, const Bytes *given,
                 const RowShape &shape, Where where) {
  SoftMaxRows<Rows>(dst, &sum, &max, src, given, shape, where);
}

// exp(x - max) / sum with a maximum and a sum that are given.
template <template <typename> class Rows, typename T, typename U>
void SimpleSoftMaxRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &sum,
                       const AscendC::LocalTensor<U> &max, const AscendC::LocalTensor<T> &src,
                       const Bytes *given, const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float>, "SimpleSoftMax: for half and float on Atlas A2");
  const Bytes work = WorkOf(given, where);
  const Rows<T> rows("SimpleSoftMax", work, shape, where);
  RowValue value(work, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const Floats x = rows.Load(src, row), y = rows.Place(dst, row);
    value.Load(max[row * kBlockLanes<U>]);
    WithRowValue(kSubRow, y, x, value.block(), shape.columns, where);
    Stage(shape.columns, where).Exp(y, y);
    value.Load(sum[row * kBlockLanes<U>]);
    WithRowValue(kDivRow, y, y, value.block(), shape.columns, where);
    rows.Store(dst, row);
  }
}

// Rows whose maximum has the bits `from` become `to`. Says whether there was one.
template <bool in_fractals, typename T, typename U>
bool AdjustRows(const AscendC::LocalTensor<T> &result, const AscendC::LocalTensor<U> &max, uint32_t from,
                T to, const RowShape &shape, Where where) {
  Order(Pipe::V, Pipe::S, where);
  bool found = false;
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const U value = max.GetValue(row * kBlockLanes<U>, where);
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    if (bits != from) continue;
    found = true;
    constexpr uint32_t kSide = 16;  // elements of a row in a fractal
    const uint32_t length = in_fractals ? kSide : shape.stride;
    for (uint32_t column = 0; column < shape.stride; column += length) {
      AscendC::Duplicate(result[column * shape.rows + row * length], to, static_cast<int32_t>(length), where);
    }
  }
  AscendC::PipeBarrier<PIPE_V>(where);
  return found;
}

}  // namespace sim

namespace AscendC {

#define SIM_SOFTMAX(Body, Name, T, U)                                                                     \
  template <typename Type, bool isReuseSource = false, bool isBasicBlock = false,                         \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>               \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<U> &sumTensor,           \
                              const LocalTensor<U> &maxTensor, const LocalTensor<T> &srcTensor,           \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,   \
                              const SoftMaxShapeInfo &softmaxShapeInfo = {},                              \
                              sim::Where where = sim::Where::Here()) {                                    \
    sim::Body<sim::RowsOf<isDataFormatNZ>::template Rows>(                                                \
        dstTensor, sumTensor, maxTensor, srcTensor, &sharedTmpBuffer,                                     \
        sim::SoftMaxShape(softmaxShapeInfo, tiling), where);                                              \
  }                                                                                                       \
  template <typename Type, bool isReuseSource = false, bool isBasicBlock = false,                         \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>               \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<U> &sumTensor,           \
                              const LocalTensor<U> &maxTensor, const LocalTensor<T> &srcTensor,           \
                              const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {}, \
                              sim::Where where = sim::Where::Here()) {                                    \
    sim::Body<sim::RowsOf<isDataFormatNZ>::template Rows>(                                                \
        dstTensor, sumTensor, maxTensor, srcTensor, nullptr, sim::SoftMaxShape(softmaxShapeInfo, tiling), \
        where);                                                                                           \
  }

SIM_SOFTMAX(SoftMaxRows, SoftMax, Type, Type)
SIM_SOFTMAX(SoftMaxRows, SoftMax, half, float)
SIM_SOFTMAX(SimpleSoftMaxRows, SimpleSoftMax, Type, Type)
SIM_SOFTMAX(SimpleSoftMaxRows, SimpleSoftMax, half, float)
#undef SIM_SOFTMAX

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
                               const SoftMaxShapeInfo &softmaxShapeInfo = {},
                               sim::Where where = sim::Where::Here()) {
  const LocalTensor<T> *none = nullptr;
  sim::SoftMaxRows<sim::WideRows>(dstTensor, none, none, srcTensor, &sharedTmpBuffer,
                                  sim::SoftMaxShape(softmaxShapeInfo, tiling), where);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {},
                               sim::Where where = sim::Where::Here()) {
  const LocalTensor<T> *none = nullptr;
  sim::SoftMaxRows<sim::WideRows>(dstTensor, none, none, srcTensor, nullptr,
                                  sim::SoftMaxShape(softmaxShapeInfo, tiling), where);
}

template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
__aicore__ inline bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor,
                                        const uint32_t from, const T1 to,
                                        const SoftMaxShapeInfo &softmaxShapeInfo,
                                        sim::Where where = sim::Where::Here()) {
  return sim::AdjustRows<isDataFormatNZ>(
      softMaxRes, maxTensor, from, to,
      sim::RowShape{softmaxShapeInfo.srcM, softmaxShapeInfo.srcK, softmaxShapeInfo.srcK}, where);
}

}  // namespace AscendC
