// SPDX-License-Identifier: Apache-2.0
// SoftmaxFlashV2: the results are not divided by the sum; the caller does it once, behind the last part, and
// multiplies earlier results by the factor e.
#pragma once

#include "sim_softmax_flash.h"

namespace AscendC {

#define SIM_FLASH_V2_TEMPLATE                                                                            \
  template <typename Type, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
#define SIM_FLASH_V2_CALL(memory)                                             \
  sim::FlashRows<sim::RowsOf<isDataFormatNZ>::template Rows, isUpdate, false, \
                 config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC>(     \
      "SoftmaxFlashV2", operands, memory, sim::SoftMaxShape(softmaxShapeInfo, tiling), where);

#define SIM_SOFTMAX_FLASH_V2(T, U, memory, ...)                                                             \
  SIM_FLASH_V2_TEMPLATE                                                                                     \
  __aicore__ inline void SoftmaxFlashV2(                                                                    \
      const LocalTensor<T> &dstTensor, const LocalTensor<U> &expSumTensor, const LocalTensor<U> &maxTensor, \
      const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,                                  \
      const LocalTensor<U> &inExpSumTensor, const LocalTensor<U> &inMaxTensor __VA_ARGS__,                  \
      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {},                           \
      sim::Where where = sim::Where::Here()) {                                                              \
    const sim::FlashOperands<T, U> operands{dstTensor,    expSumTensor,   maxTensor,   srcTensor,           \
                                            expMaxTensor, inExpSumTensor, inMaxTensor, nullptr};            \
    SIM_FLASH_V2_CALL(memory)                                                                               \
  }
SIM_SOFTMAX_FLASH_V2(Type, Type, nullptr)
SIM_SOFTMAX_FLASH_V2(Type, Type, &sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
SIM_SOFTMAX_FLASH_V2(half, float, nullptr)
SIM_SOFTMAX_FLASH_V2(half, float, &sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_FLASH_V2

// The same, with the maximum of this part alone as one more result, which a first part does not have.
#define SIM_SOFTMAX_FLASH_V2(memory, ...)                                                    \
  SIM_FLASH_V2_TEMPLATE                                                                      \
  __aicore__ inline void SoftmaxFlashV2(                                                     \
      const LocalTensor<Type> &dstTensor, const LocalTensor<Type> &outReduceMax,             \
      const LocalTensor<Type> &outExpSum, const LocalTensor<Type> &outMax,                   \
      const LocalTensor<Type> &srcTensor, const LocalTensor<Type> &outExpMax,                \
      const LocalTensor<Type> &inExpSum, const LocalTensor<Type> &inMax __VA_ARGS__,         \
      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {},            \
      sim::Where where = sim::Where::Here()) {                                               \
    static_assert(config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC,                    \
                  "SoftmaxFlashV2: outReduceMax needs the mode SOFTMAX_OUTPUT_WITHOUT_BRC"); \
    const sim::FlashOperands<Type, Type> operands{                                           \
        dstTensor, outExpSum, outMax, srcTensor,                                             \
        outExpMax, inExpSum,  inMax,  isUpdate ? &outReduceMax : nullptr};                   \
    SIM_FLASH_V2_CALL(memory)                                                                \
  }
SIM_SOFTMAX_FLASH_V2(nullptr)
SIM_SOFTMAX_FLASH_V2(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_FLASH_V2
#undef SIM_FLASH_V2_CALL
#undef SIM_FLASH_V2_TEMPLATE

}  // namespace AscendC
