// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon) gamma + beta, where the mean and the variance are those of a column,
// and gamma and beta are one for each row, which the scalar unit reads. half is computed in float.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "sim_norm.h"

namespace sim {

// In pieces of the columns. Work memory: the mean, the variance and then its root, and a row.
template <typename T>
void BatchNormColumns(const NormOperands<T> &o, const Bytes *given, float epsilon,
                      const AscendC::tiling::BatchNormTiling &tiling, Where where) {
  static_assert(kOneOf<T, half, float>, "BatchNorm: for half and float on Atlas A2");
  const uint32_t columns = tiling.meanVarSize, rows = tiling.originalBLength;
  const float share = 1.0F / static_cast<float>(rows);
  const Bytes work = WorkOf(given, where);
  const uint32_t lanes = PieceLanes("BatchNorm", work, 3, where);
  const Parts parts(work, uint64_t{lanes} * sizeof(float));
  const Floats mean = parts[0], variance = parts[1], x = parts[2];
  Order(Pipe::V, Pipe::S, where);
  for (uint32_t done = 0; done < columns; done += lanes) {
    const Stage v(std::min(lanes, columns - done), where);
    v.Fill(mean, 0);
    for (uint32_t row = 0; row < rows; ++row) {
      LoadLanes(v, x, o.x[row * columns + done]);
      v.Add(mean, mean, x);
    }
    v.Muls(mean, mean, share);
    v.Fill(variance, 0);
    for (uint32_t row = 0; row < rows; ++row) {
      LoadLanes(v, x, o.x[row * columns + done]);
      v.Sub(x, x, mean);
      v.Mul(x, x, x);
      v.Add(variance, variance, x);
    }
    v.Muls(variance, variance, share);
    StoreLanes(v, o.mean[done], mean);
    StoreLanes(v, o.variance[done], variance);
    v.Adds(variance, variance, epsilon);
    v.Sqrt(variance, variance);
    for (uint32_t row = 0; row < rows; ++row) {
      LoadLanes(v, x, o.x[row * columns + done]);
      v.Sub(x, x, mean);
      v.Div(x, x, variance);
      v.Muls(x, x, ReadValue(o.gamma, row, where));
      v.Adds(x, x, ReadValue(o.beta, row, where));
      StoreLanes(v, o.output[row * columns + done], x);
    }
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_BATCH_NORM(memory, ...)                                                                         \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                              \
  __aicore__ inline void BatchNorm(                                                                         \
      const LocalTensor<T> &output, const LocalTensor<T> &outputMean, const LocalTensor<T> &outputVariance, \
      const LocalTensor<T> &inputX, const LocalTensor<T> &gamm, const LocalTensor<T> &beta __VA_ARGS__,     \
      const T epsilon, BatchNormTiling &tiling, sim::Where where = sim::Where::Here()) {                    \
    sim::BatchNormColumns(sim::NormOperands<T>{output, outputMean, outputVariance, inputX, gamm, beta},     \
                          memory, static_cast<float>(epsilon), tiling, where);                              \
  }
SIM_BATCH_NORM(nullptr)
SIM_BATCH_NORM(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_BATCH_NORM

}  // namespace AscendC
