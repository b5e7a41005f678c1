// SPDX-License-Identifier: Apache-2.0
// The gradient of a softmax towards its input, of dy and y: (dy - sum(dy y)) y for each row, or only the sum,
// as a block of equal lanes. half is computed in float. Matrices in the format NZ are not modelled.
#pragma once

#include "sim_softmax_shape.h"

namespace sim {

// Work memory: the value of a row, the products, and for half two rows as floats.
template <typename T>
void SoftmaxGradRows(const char *name, const AscendC::LocalTensor<T> &dst,
                     const AscendC::LocalTensor<T> &grad, const AscendC::LocalTensor<T> &src,
                     const Bytes *given, bool front, const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float>, "SoftmaxGrad: for half and float on Atlas A2");
  RowWork work(name, given, shape.stride, std::is_same_v<T, float> ? 1 : 3, where);
  const Floats products = work[0];
  const Stage stage(shape.columns, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint32_t at = row * shape.stride;
    const Floats dy = work.Wide(grad[at], shape.columns, 1), y = work.Wide(src[at], shape.columns, 2);
    stage.Mul(products, dy, y);
    work.value().Sum(products, shape.columns);
    if (front) {
      work.value().Store(dst[row * kBlockLanes<T>]);
      continue;
    }
    const Floats dx = work.Place(dst[at], 1);
    WithRowValue(kSubRow, products, dy, work.value().block(), shape.columns, where);
    stage.Mul(dx, products, y);
    work.Store(dst[at], dx, shape.columns);
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
    static_assert(!isDataFormatNZ, "SoftmaxGrad: matrices in the format NZ are not modelled");        \
    sim::SoftmaxGradRows("SoftmaxGrad", dstTensor, gradTensor, srcTensor, memory, isFront,            \
                         sim::SoftMaxShape(softmaxShapeInfo, tiling), where);                         \
  }                                                                                                   \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                       \
  __aicore__ inline void SoftmaxGradFront(                                                            \
      const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                              \
      const LocalTensor<T> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling,                       \
      const SoftMaxShapeInfo &softmaxShapeInfo = {}, sim::Where where = sim::Where::Here()) {         \
    static_assert(!isDataFormatNZ, "SoftmaxGradFront: matrices in the format NZ are not modelled");   \
    sim::SoftmaxGradRows("SoftmaxGradFront", dstTensor, gradTensor, srcTensor, memory, true,          \
                         sim::SoftMaxShape(softmaxShapeInfo, tiling), where);                         \
  }
SIM_SOFTMAX_GRAD(nullptr)
SIM_SOFTMAX_GRAD(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_GRAD

}  // namespace AscendC
