// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon) gamma + beta for each row, with a mean and a variance that are given.
// half is computed in float. The scalar unit reads the mean and the variance of each row.
#pragma once

#include "../reduce/reduce_common.h"
#include "sim_norm.h"

namespace AscendC {

struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};
constexpr NormalizeConfig NLCFG_NOOPT = {ReducePattern::AR, -1, true, true, false};

struct NormalizePara {
  uint32_t aLength;             // rows
  uint32_t rLength;             // elements of a row
  uint32_t rLengthWithPadding;  // elements from row to row, of which the bytes are a multiple of 32
};

}  // namespace AscendC

namespace sim {

// Work memory: for half the row as floats, and a row for gamma and beta.
template <const AscendC::NormalizeConfig &config, typename T, typename U>
void NormalizeRows(const AscendC::LocalTensor<T> &output, const Floats &rstd, const Floats &means,
                   const Floats &variances, const AscendC::LocalTensor<T> &input,
                   const AscendC::LocalTensor<U> &gamma, const AscendC::LocalTensor<U> &beta,
                   const Bytes *given, float epsilon, const AscendC::NormalizePara &para, Where where) {
  static_assert(kOneOf<T, half, float> && kOneOf<U, T, float>,
                "Normalize: half and float on Atlas A2, with gamma and beta of the same type or of float");
  static_assert(!config.isOnlyOutput, "Normalize: isOnlyOutput must be false, as rstd is a result too");
  static_assert(config.reducePattern == AscendC::ReducePattern::AR,
                "Normalize: the last axis is the only one");
  const RowShape shape{config.aLength < 0 ? para.aLength : static_cast<uint32_t>(config.aLength),
                       para.rLengthWithPadding, para.rLength};
  const RowWork work("Normalize", given, shape.stride, std::is_same_v<T, float> ? 0 : 2, where);
  const Stage stage(shape.stride, where);
  Order(Pipe::V, Pipe::S, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const float factor = 1 / std::sqrt(ReadValue(variances, row, where) + epsilon);
    const float mean = ReadValue(means, row, where);
    rstd.SetValue(row, factor, where);
    const auto to = output[row * shape.stride];
    const Floats x = work.Wide(input[row * shape.stride], shape.stride, 0), y = work.Place(to, 0);
    stage.Adds(y, x, -mean);
    stage.Muls(y, y, factor);
    ScaleAndShift(work, shape, y, config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta, 1,
                  where);
    work.Store(to, y, shape.stride);
  }
  Order(Pipe::S, Pipe::V, where);
}

}  // namespace sim

namespace AscendC {

#define SIM_NORMALIZE(memory, ...)                                                                          \
  template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM> \
  __aicore__ inline void Normalize(                                                                         \
      const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,                                   \
      const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,                         \
      const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta __VA_ARGS__,    \
      const float epsilon, const NormalizePara &para, sim::Where where = sim::Where::Here()) {              \
    sim::NormalizeRows<config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta, memory,   \
                               epsilon, para, where);                                                       \
  }
SIM_NORMALIZE(nullptr)
SIM_NORMALIZE(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_NORMALIZE

}  // namespace AscendC
