// SPDX-License-Identifier: Apache-2.0
// The gradients of LayerNorm towards gamma and beta: for each column the sum of dy times the result of
// LayerNormGrad, and the sum of dy. half is summed in float, row by row.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "sim_norm.h"

namespace sim {

// Work memory: both sums, and two rows as floats.
template <typename T>
void LayerNormGradBetaRows(const AscendC::LocalTensor<T> &gamma, const AscendC::LocalTensor<T> &beta,
                           const AscendC::LocalTensor<T> &result, const AscendC::LocalTensor<T> &dy,
                           const Bytes *given, const AscendC::tiling::LayerNormGradBetaTiling &tiling,
                           Where where) {
  static_assert(kOneOf<T, half, float>, "LayerNormGradBeta: for half and float on Atlas A2");
  const uint32_t stride = tiling.hLength;
  const RowWork work("LayerNormGradBeta", given, stride, 4, where);
  const Floats sum_of_gamma = work[0], sum_of_beta = work[1];
  const Stage stage(stride, where);
  stage.Fill(sum_of_gamma, 0);
  stage.Fill(sum_of_beta, 0);
  for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; ++row) {
    const Floats slope = work.Wide(dy[row * stride], stride, 2);
    stage.Add(sum_of_beta, sum_of_beta, slope);
    stage.Mul(work[3], slope, work.Wide(result[row * stride], stride, 3));
    stage.Add(sum_of_gamma, sum_of_gamma, work[3]);
  }
  StoreLanes(stage, gamma, sum_of_gamma);
  StoreLanes(stage, beta, sum_of_beta);
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T> &outputPdGamma,
                                         const LocalTensor<T> &outputPdBeta,
                                         const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,
                                         const LocalTensor<uint8_t> &sharedTmpBuffer,
                                         const LayerNormGradBetaTiling &tiling,
                                         sim::Where where = sim::Where::Here()) {
  sim::LayerNormGradBetaRows(outputPdGamma, outputPdBeta, resForGamma, inputDy, &sharedTmpBuffer, tiling,
                             where);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T> &outputPdGamma,
                                         const LocalTensor<T> &outputPdBeta,
                                         const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,
                                         const LayerNormGradBetaTiling &tiling,
                                         sim::Where where = sim::Where::Here()) {
  sim::LayerNormGradBetaRows(outputPdGamma, outputPdBeta, resForGamma, inputDy, nullptr, tiling, where);
}

}  // namespace AscendC
