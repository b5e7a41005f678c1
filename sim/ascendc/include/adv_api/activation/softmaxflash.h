// SPDX-License-Identifier: Apache-2.0
// SoftmaxFlash: the results of each call are divided by the sum of all parts so far, and the factor of the
// earlier results is e sum / sum'.
#pragma once

#include "sim_softmax_flash.h"

namespace AscendC {

#define SIM_SOFTMAX_FLASH(T, U, memory, ...)                                                                 \
  template <typename Type, bool isReuseSource = false, bool isBasicBlock = false>                            \
  __aicore__ inline void SoftmaxFlash(                                                                       \
      const LocalTensor<T> &dstTensor, const LocalTensor<U> &sumTensor, const LocalTensor<U> &maxTensor,     \
      const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,                                   \
      const LocalTensor<U> &inSumTensor, const LocalTensor<U> &inMaxTensor __VA_ARGS__,                      \
      const SoftMaxTiling &tiling, bool isUpdate = false, const SoftMaxShapeInfo &softmaxShapeInfo = {},     \
      sim::Where where = sim::Where::Here()) {                                                               \
    const sim::FlashOperands<T, U> operands{dstTensor,    sumTensor,   maxTensor,   srcTensor,               \
                                            expMaxTensor, inSumTensor, inMaxTensor, nullptr};                \
    const sim::RowShape shape = sim::SoftMaxShape(softmaxShapeInfo, tiling);                                 \
    isUpdate                                                                                                 \
        ? sim::FlashRows<sim::WideRows, true, true, false>("SoftmaxFlash", operands, memory, shape, where)   \
        : sim::FlashRows<sim::WideRows, false, true, false>("SoftmaxFlash", operands, memory, shape, where); \
  }
SIM_SOFTMAX_FLASH(Type, Type, nullptr)
SIM_SOFTMAX_FLASH(Type, Type, &sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
SIM_SOFTMAX_FLASH(half, float, nullptr)
SIM_SOFTMAX_FLASH(half, float, &sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_FLASH

}  // namespace AscendC
