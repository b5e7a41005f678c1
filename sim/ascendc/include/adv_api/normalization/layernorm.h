// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon) gamma + beta for each row, with the mean of each row and its
// variance, or one by the root of it. half is computed in float. It is computed row by row, whatever the
// tiling says.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "layernorm_utils.h"
#include "sim_norm.h"

namespace sim {

// What a row becomes. Null pointers are what the caller does not want or does not give.
template <typename T, typename U, typename Statistics>
struct LayerNormOperands {
  const AscendC::LocalTensor<T> &output;
  const AscendC::LocalTensor<Statistics> *mean;
  const AscendC::LocalTensor<Statistics> *variance;
  const AscendC::LocalTensor<Statistics> *rstd;
  const AscendC::LocalTensor<T> &input;
  const AscendC::LocalTensor<U> *gamma;
  const AscendC::LocalTensor<U> *beta;
};

// Work memory: the value of a row, its squares, and for half the row as floats.
template <typename T, typename U, typename Statistics>
void LayerNormRows(const LayerNormOperands<T, U, Statistics> &operands, const Bytes *given, float epsilon,
                   const RowShape &shape, Where where) {
  static_assert(kOneOf<T, half, float> && kOneOf<U, T, float>,
                "LayerNorm: half and float on Atlas A2, with gamma and beta of the same type or of float");
  RowWork work("LayerNorm", given, shape.stride, std::is_same_v<T, float> ? 1 : 2, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const auto to = operands.output[row * shape.stride];
    const Floats x = work.Wide(operands.input[row * shape.stride], shape.stride, 1), y = work.Place(to, 1);
    if (operands.mean == nullptr) {
      Centre<Statistics>(work, shape, y, x, work[0], nullptr, where);
    } else {
      const auto mean = (*operands.mean)[row];
      Centre(work, shape, y, x, work[0], &mean, where);
    }
    if (operands.variance != nullptr) work.value().Put((*operands.variance)[row]);
    DivideByDeviation(work, shape, y, epsilon, where);
    if (operands.rstd != nullptr) {
      work.value().Invert();
      work.value().Put((*operands.rstd)[row]);
    }
    ScaleAndShift(work, shape, y, operands.gamma, operands.beta, 0, where);
    work.Store(to, y, shape.stride);
  }
}

template <const AscendC::LayerNormConfig &config, typename T, typename U>
void LayerNormRows(const AscendC::LocalTensor<T> &output, const AscendC::LocalTensor<float> &mean,
                   const AscendC::LocalTensor<float> &rstd, const AscendC::LocalTensor<T> &input,
                   const AscendC::LocalTensor<U> &gamma, const AscendC::LocalTensor<U> &beta,
                   const Bytes *given, float epsilon, const AscendC::LayerNormPara &para, Where where) {
  static_assert(config.isOutputRstd, "LayerNorm: Atlas A2 gives 1 / sqrt(variance + epsilon) alone");
  static_assert(!config.isOnlyOutput,
                "LayerNorm: isOnlyOutput must be false, as mean and rstd are results too");
  const AscendC::LocalTensor<float> *none = nullptr;
  const LayerNormOperands<T, U, float> operands{output,
                                                &mean,
                                                none,
                                                &rstd,
                                                input,
                                                config.isNoGamma ? nullptr : &gamma,
                                                config.isNoBeta ? nullptr : &beta};
  LayerNormRows(operands, given, epsilon, {para.aLength, para.rLengthWithPadding, para.rLength}, where);
}

inline RowShape LayerNormShape(const LayerNormTiling &tiling) {
  return {tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength};
}

}  // namespace sim

namespace AscendC {

// Both forms, with work memory as a parameter and without; `memory` is its address.
#define SIM_LAYER_NORM(memory, ...)                                                                          \
  template <typename T, bool isReuseSource = false>                                                          \
  __aicore__ inline void LayerNorm(                                                                          \
      const LocalTensor<T> &output, const LocalTensor<T> &outputMean, const LocalTensor<T> &outputVariance,  \
      const LocalTensor<T> &inputX, const LocalTensor<T> &gamma, const LocalTensor<T> &beta __VA_ARGS__,     \
      const T epsilon, LayerNormTiling &tiling, sim::Where where = sim::Where::Here()) {                     \
    const LocalTensor<T> *none = nullptr;                                                                    \
    sim::LayerNormRows(                                                                                      \
        sim::LayerNormOperands<T, T, T>{output, &outputMean, &outputVariance, none, inputX, &gamma, &beta},  \
        memory, static_cast<float>(epsilon), sim::LayerNormShape(tiling), where);                            \
  }                                                                                                          \
  template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>  \
  __aicore__ inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,       \
                                   const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,       \
                                   const LocalTensor<U> &gamma, const LocalTensor<U> &beta,                  \
                                   const float epsilon __VA_ARGS__, const LayerNormPara &para,               \
                                   const LayerNormSeparateTiling &, sim::Where where = sim::Where::Here()) { \
    sim::LayerNormRows<config>(output, outputMean, outputRstd, inputX, gamma, beta, memory, epsilon, para,   \
                               where);                                                                       \
  }
SIM_LAYER_NORM(nullptr)
SIM_LAYER_NORM(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_LAYER_NORM

}  // namespace AscendC
