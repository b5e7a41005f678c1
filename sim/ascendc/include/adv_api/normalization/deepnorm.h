// SPDX-License-Identifier: Apache-2.0
// LayerNorm of alpha x + gx, with the mean and the variance of each row. The result called rstd is the
// variance, as in CANN. half is computed in float.
#pragma once

#include "../../kernel_tiling/sim_vector_tiling.h"
#include "sim_norm.h"

namespace sim {

template <typename T>
struct DeepNormOperands {
  const AscendC::LocalTensor<T> &output;
  const AscendC::LocalTensor<T> &mean;
  const AscendC::LocalTensor<T> &variance;
  const AscendC::LocalTensor<T> &x;
  const AscendC::LocalTensor<T> &gx;
  const AscendC::LocalTensor<T> &beta;
  const AscendC::LocalTensor<T> &gamma;
};

// Work memory: the value of a row, a scratch row, and the row itself. The results may lie where x lies.
template <typename T>
void DeepNormRows(const DeepNormOperands<T> &o, const Bytes *given, float alpha, float epsilon,
                  const AscendC::tiling::DeepNormTiling &tiling, Where where) {
  static_assert(kOneOf<T, half, float>, "DeepNorm: for half and float on Atlas A2");
  const RowShape shape{tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength};
  RowWork work("DeepNorm", given, shape.stride, 2, where);
  const Stage stage(shape.stride, where);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint32_t at = row * shape.stride;
    const auto to = o.output[at], mean = o.mean[row];
    const Floats y = work[1];
    stage.Muls(y, work.Wide(o.x[at], shape.stride, 0), alpha);
    stage.Add(y, y, work.Wide(o.gx[at], shape.stride, 0));
    Centre(work, shape, y, y, work[0], &mean, where);
    work.value().Put(o.variance[row]);
    DivideByDeviation(work, shape, y, epsilon, where);
    ScaleAndShift(work, shape, y, &o.gamma, &o.beta, 0, where);
    StoreLanes(stage, to, y);
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_DEEP_NORM(memory, ...)                                                                          \
  template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                 \
  __aicore__ inline void DeepNorm(                                                                          \
      const LocalTensor<T> &dstLocal, const LocalTensor<T> &meanLocal, const LocalTensor<T> &rstdLocal,     \
      const LocalTensor<T> &srcLocal, const LocalTensor<T> &gxLocal, const LocalTensor<T> &betaLocal,       \
      const LocalTensor<T> &gammaLocal __VA_ARGS__, const T alpha, const T epsilon, DeepNormTiling &tiling, \
      sim::Where where = sim::Where::Here()) {                                                              \
    const sim::DeepNormOperands<T> operands{dstLocal, meanLocal, rstdLocal, srcLocal,                       \
                                            gxLocal,  betaLocal, gammaLocal};                               \
    sim::DeepNormRows(operands, memory, static_cast<float>(alpha), static_cast<float>(epsilon), tiling,     \
                      where);                                                                               \
  }
SIM_DEEP_NORM(nullptr)
SIM_DEEP_NORM(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_DEEP_NORM

}  // namespace AscendC
