// SPDX-License-Identifier: Apache-2.0
// The gradient of LayerNorm towards its input, and (x - mean) / sqrt(variance + epsilon) for the gradient
// towards gamma. half is computed in float. It is computed row by row, and the scalar unit reads the mean and
// the variance of each row, and three sums.
//
//   g = dy gamma     c = x - mean     r = (variance + epsilon)^-1/2     n = elements of a row
//   a = sum(-1/2 g c) r^3             m = -sum(g) r - 2 a sum(c) / n
//   dx = g r + 2 a c / n + m / n      the second result: c r
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "layernormgrad_utils.h"
#include "sim_norm.h"

namespace sim {

template <typename T>
struct LayerNormGradOperands {
  const AscendC::LocalTensor<T> &dx;
  const AscendC::LocalTensor<T> &result;
  const AscendC::LocalTensor<T> &dy;
  const AscendC::LocalTensor<T> &x;
  const AscendC::LocalTensor<T> &variance;
  const AscendC::LocalTensor<T> &mean;
  const AscendC::LocalTensor<T> &gamma;
};

// Work memory: g, c, a scratch row, and what a row of the results is computed in. The results may lie where
// the sources lie, as each row of them is read before.
template <typename T>
void LayerNormGradRows(const LayerNormGradOperands<T> &o, const Bytes *given, float epsilon,
                       const AscendC::tiling::LayerNormGradTiling &tiling,
                       const AscendC::LayerNormGradShapeInfo &info, Where where) {
  static_assert(kOneOf<T, half, float>, "LayerNormGrad: for half and float on Atlas A2");
  if (info.dataFormat != AscendC::DataFormat::ND) {
    Core::Current().Fail(FaultKind::kOther, "LayerNormGrad", where,
                         "shapeInfo.dataFormat must be ND, got the format " +
                             std::to_string(static_cast<int>(info.dataFormat)));
  }
  const uint32_t stride = tiling.hLength, columns = tiling.originalHLength;
  const auto n = static_cast<float>(columns);
  RowWork work("LayerNormGrad", given, stride, 3, where);
  const Floats g = work[0], c = work[1], scratch = work[2];
  const Stage stage(stride, where);
  Order(Pipe::V, Pipe::S, where);
  for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; ++row) {
    const float r = 1 / std::sqrt(ReadValue(o.variance, row, where) + epsilon);
    const float mean = ReadValue(o.mean, row, where);
    const uint32_t at = row * stride;
    stage.Muls(g, work.Wide(o.dy[at], stride, 2), 1);
    stage.Mul(g, g, work.Wide(o.gamma, stride, 2));
    stage.Adds(c, work.Wide(o.x[at], stride, 2), -mean);
    stage.Mul(scratch, g, c);
    const float a = -0.5F * r * r * r * ReadSum(scratch, columns, scratch, where);
    const float sum_of_g = ReadSum(g, columns, scratch, where);
    const float m = -sum_of_g * r - 2 * a / n * ReadSum(c, columns, scratch, where);
    const Floats result = work.Place(o.result[at], 2);
    stage.Muls(result, c, r);
    work.Store(o.result[at], result, stride);
    stage.Muls(g, g, r);
    stage.Muls(c, c, 2 * a / n);
    stage.Add(g, g, c);
    const Floats dx = work.Place(o.dx[at], 2);
    stage.Adds(dx, g, m / n);
    work.Store(o.dx[at], dx, stride);
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_LAYER_NORM_GRAD(memory, ...)                                                                  \
  template <typename T, bool isReuseSource = false>                                                       \
  __aicore__ inline void LayerNormGrad(                                                                   \
      const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,  \
      const LocalTensor<T> &inputX, const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean, \
      const LocalTensor<T> &inputGamma __VA_ARGS__, T epsilon, LayerNormGradTiling &tiling,               \
      const LayerNormGradShapeInfo &shapeInfo = {}, sim::Where where = sim::Where::Here()) {              \
    const sim::LayerNormGradOperands<T> operands{outputPdX,     resForGamma, inputDy,   inputX,           \
                                                 inputVariance, inputMean,   inputGamma};                 \
    sim::LayerNormGradRows(operands, memory, static_cast<float>(epsilon), tiling, shapeInfo, where);      \
  }
SIM_LAYER_NORM_GRAD(nullptr)
SIM_LAYER_NORM_GRAD(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_LAYER_NORM_GRAD

}  // namespace AscendC
