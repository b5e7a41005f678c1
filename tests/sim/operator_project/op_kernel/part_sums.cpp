// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

namespace {

using namespace AscendC;

constexpr uint32_t kBlockElements = 8;  // of 32 bytes

// Adds `count` elements and writes the sum to the first of 8.
__aicore__ inline void SumInto(GlobalTensor<float> to, GlobalTensor<float> from, uint32_t count, TBuf<> &buffer) {
  LocalTensor<float> values = buffer.Get<float>();
  LocalTensor<float> sum = values[count];
  LocalTensor<float> work = values[count + kBlockElements];
  DataCopy(values, from, count);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Duplicate(sum, 0.0f, kBlockElements);
  ReduceSum(sum, values, work, count);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, sum, kBlockElements);
  PipeBarrier<PIPE_ALL>();
}

}  // namespace

extern "C" __global__ __aicore__ void part_sums(GM_ADDR x, GM_ADDR total, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, (2 * data.part + 4 * kBlockElements * kBlockElements) * sizeof(float));
  GlobalTensor<float> elements, parts, result;
  elements.SetGlobalBuffer((__gm__ float *)x, data.part * GetBlockNum());
  parts.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace), GetBlockNum() * kBlockElements);
  result.SetGlobalBuffer((__gm__ float *)total, kBlockElements);
  SumInto(parts[GetBlockIdx() * kBlockElements], elements[GetBlockIdx() * data.part], data.part, buffer);
  if (data.waits) SyncAll();
  if (GetBlockIdx() == 0) SumInto(result, parts, GetBlockNum() * kBlockElements, buffer);
}
