// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scaled(GM_ADDR out, int32_t number, float more) {
  AscendC::GlobalTensor<int32_t> numbers;
  numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(out), 16);
  numbers.SetValue(0, FACTOR * number + static_cast<int32_t>(more));
}
