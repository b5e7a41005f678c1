// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon) gamma + beta, where the mean and the variance are those of a group of
// channels of one image, and gamma and beta are one for each channel. A channel is a row, which begins at a
// multiple of 32 bytes. half is computed in float. The scalar unit adds the sums of the channels up.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "sim_norm.h"

namespace sim {

// Work memory: a row, and for half the row as floats.
template <typename T>
void GroupNormRows(const NormOperands<T> &o, const Bytes *given, float epsilon,
                   const AscendC::tiling::GroupNormTiling &tiling, Where where) {
  static_assert(kOneOf<T, half, float>, "GroupNorm: for half and float on Atlas A2");
  const uint32_t columns = tiling.hw, stride = tiling.hwAlignSize;
  const float share = 1.0F / static_cast<float>(tiling.d * columns);
  const RowWork work("GroupNorm", given, stride, std::is_same_v<T, float> ? 1 : 2, where);
  const Stage v(stride, where);
  const Floats y = work[0];
  Order(Pipe::V, Pipe::S, where);
  for (uint32_t group = 0; group < tiling.n * tiling.g; ++group) {
    const auto channel = [&](uint32_t i) { return (group * tiling.d + i) * stride; };
    float mean = 0, variance = 0;
    for (uint32_t i = 0; i < tiling.d; ++i) {
      mean += ReadSum(work.Wide(o.x[channel(i)], stride, 1), columns, y, where);
    }
    mean *= share;
    for (uint32_t i = 0; i < tiling.d; ++i) {
      v.Adds(y, work.Wide(o.x[channel(i)], stride, 1), -mean);
      v.Mul(y, y, y);
      variance += ReadSum(y, columns, y, where);
    }
    variance *= share;
    o.mean.SetValue(group, static_cast<T>(mean), where);
    o.variance.SetValue(group, static_cast<T>(variance), where);
    const float factor = 1 / std::sqrt(variance + epsilon);
    for (uint32_t i = 0; i < tiling.d; ++i) {
      const uint32_t c = group % tiling.g * tiling.d + i;
      const auto to = o.output[channel(i)];
      const Floats result = work.Place(to, 1);
      v.Adds(result, work.Wide(o.x[channel(i)], stride, 1), -mean);
      v.Muls(result, result, factor);
      v.Muls(result, result, ReadValue(o.gamma, c, where));
      v.Adds(result, result, ReadValue(o.beta, c, where));
      work.Store(to, result, stride);
    }
  }
  Order(Pipe::S, Pipe::V, where);
}

}  // namespace sim

namespace AscendC {

#define SIM_GROUP_NORM(memory, ...)                                                                         \
  template <typename T, bool isReuseSource = false>                                                         \
  __aicore__ inline void GroupNorm(                                                                         \
      const LocalTensor<T> &output, const LocalTensor<T> &outputMean, const LocalTensor<T> &outputVariance, \
      const LocalTensor<T> &inputX, const LocalTensor<T> &gamma, const LocalTensor<T> &beta __VA_ARGS__,    \
      const T epsilon, GroupNormTiling &tiling, sim::Where where = sim::Where::Here()) {                    \
    sim::GroupNormRows(sim::NormOperands<T>{output, outputMean, outputVariance, inputX, gamma, beta},       \
                       memory, static_cast<float>(epsilon), tiling, where);                                 \
  }
SIM_GROUP_NORM(nullptr)
SIM_GROUP_NORM(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_GROUP_NORM

}  // namespace AscendC
