// SPDX-License-Identifier: Apache-2.0
// src0 times Swish of src1.
#pragma once

#include "gelu.h"
#include "sim_gated.h"

namespace sim {

template <typename T>
void SwiGluOf(const Bytes *work, uint32_t count, Where where, const AscendC::LocalTensor<T> &dst,
              const AscendC::LocalTensor<T> &src0, const AscendC::LocalTensor<T> &src1, float beta) {
  Gated("SwiGLU", work, count, where, dst, src0, src1,
        [beta](const Stage &v, const Floats &t, const Floats &x1) {
          v.Muls(t, x1, -beta);
          DivideByExp(v, t, x1, t);
        });
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount,
                              sim::Where where = sim::Where::Here()) {
  sim::SwiGluOf(&sharedTmpBuffer, calCount, where, dstTensor, srcTensor0, srcTensor1, scalarValue);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              const LocalTensor<uint8_t> &sharedTmpBuffer,
                              sim::Where where = sim::Where::Here()) {
  sim::SwiGluOf(&sharedTmpBuffer, srcTensor0.GetSize(), where, dstTensor, srcTensor0, srcTensor1,
                scalarValue);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              const uint32_t calCount, sim::Where where = sim::Where::Here()) {
  sim::SwiGluOf(nullptr, calCount, where, dstTensor, srcTensor0, srcTensor1, scalarValue);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              sim::Where where = sim::Where::Here()) {
  sim::SwiGluOf(nullptr, srcTensor0.GetSize(), where, dstTensor, srcTensor0, srcTensor1, scalarValue);
}

}  // namespace AscendC
