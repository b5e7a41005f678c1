// SPDX-License-Identifier: Apache-2.0
// The gradient of a softmax towards its input, of dy and y: (dy - sum(dy y)) y for each row, or only the sum,
// as a block of equal lanes. half is computed in float.
#pragma once

#include "sim_fractal_rows.h"

namespace sim {

// Work memory: the value of a row, the products, and two rows as floats where they do not lie in the tensors.
// Rows: WideRows or FractalRows.
template <template <typename> class Rows, typename T>
void SoftmaxGradRows(const char *name, const AscendC::LocalTensor<T> &dst,
                     const AscendC::LocalTensor<T> &grad, const AscendC::LocalTensor<T> &src,
                     const Bytes *given, bool front, const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float>, "SoftmaxGrad: for half and float on Atlas A2");
  constexpr bool kInTensors = std::is_same_v<Rows<T>, WideRows<float>>;
  const Bytes work = WorkOf(given, where);
  const auto row_bytes = static_cast<uint32_t>(AlignUp(shape.stride * sizeof(float), kBlockBytes));
  CheckWork(name, work, RowValue::kBytes + uint64_t{row_bytes} * (kInTensors ? 1 : 3), where);
  RowValue value(work, where);
  const Floats products = As<float>(work[static_cast<uint32_t>(RowValue::kBytes)]);
  const Rows<T> first(name, work[kInTensors ? 0 : row_bytes], shape, where);
  const Rows<T> second(name, work[kInTensors ? 0 : 2 * row_bytes], shape, where);
  const Stage stage(shape.columns, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const Floats dy = first.Load(grad, row), y = second.Load(src, row);
    stage.Mul(products, dy, y);
    value.Sum(products, shape.columns);
    if (front) {
      value.Store(dst[row * kBlockLanes<T>]);
      continue;
    }
    const Floats dx = first.Place(dst, row);
    WithRowValue(kSubRow, products, dy, value.block(), shape.columns, where);
    stage.Mul(dx, products, y);
    first.Store(dst, row);
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_SOFTMAX_GRAD(memory, ...)                                                                 \
  template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                      \
  __aicore__ inline void SoftmaxGrad(                                                                 \
      const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                              \
      const LocalTensor<T> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling, bool isFront = false, \
      const SoftMaxShapeInfo &softmaxShapeInfo = {}, sim::Where where = sim::Where::Here()) {         \
    sim::SoftmaxGradRows<sim::RowsOf<isDataFormatNZ>::template Rows>(                                 \
        "SoftmaxGrad", dstTensor, gradTensor, srcTensor, memory, isFront,                             \
        sim::SoftMaxShape(softmaxShapeInfo, tiling), where);                                          \
  }                                                                                                   \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                       \
  __aicore__ inline void SoftmaxGradFront(                                                            \
      const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                              \
      const LocalTensor<T> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling,                       \
      const SoftMaxShapeInfo &softmaxShapeInfo = {}, sim::Where where = sim::Where::Here()) {         \
    sim::SoftmaxGradRows<sim::RowsOf<isDataFormatNZ>::template Rows>(                                 \
        "SoftmaxGradFront", dstTensor, gradTensor, srcTensor, memory, true,                           \
        sim::SoftMaxShape(softmaxShapeInfo, tiling), where);                                          \
  }
SIM_SOFTMAX_GRAD(nullptr)
SIM_SOFTMAX_GRAD(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_GRAD

}  // namespace AscendC
