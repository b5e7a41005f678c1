// SPDX-License-Identifier: Apache-2.0
// Includes the header of Matmul, and has nothing to do with products.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void joined_rows(GM_ADDR x, GM_ADDR y, GM_ADDR scale, GM_ADDR bias,
                                                  GM_ADDR z, GM_ADDR copy, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  if (workspace == nullptr) {
    return;
  }
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, (2 * data.size + data.behind) * sizeof(float));
  LocalTensor<float> sum = buffer.Get<float>(data.size);
  LocalTensor<float> row = buffer.GetWithOffset<float>(data.size + data.behind, data.size * sizeof(float));
  GlobalTensor<float> global;
  const auto load = [&](const LocalTensor<float> &to, GM_ADDR from, uint32_t behind = 0) {
    PipeBarrier<PIPE_ALL>();
    global.SetGlobalBuffer((__gm__ float *)from, data.size);
    DataCopy(to, global, data.size + behind);
    PipeBarrier<PIPE_ALL>();
  };
  load(sum, y);
  if (scale != nullptr) {
    load(row, scale);
    Mul(sum, sum, row, data.size);
  }
  load(row, x, data.behind);
  Add(sum, sum, row, data.size);
  if (data.rest.srcWidth != 0) {
    load(row, bias);
    Add(sum, sum, row, data.rest.srcWidth);
  }
  Adds(sum, sum, static_cast<float>(data.extra), data.size);
  for (GM_ADDR result : {z, copy}) {
    if (result == nullptr) continue;
    PipeBarrier<PIPE_ALL>();
    global.SetGlobalBuffer((__gm__ float *)result, data.size);
    DataCopy(global, sum, data.size);
  }
}

// What a program on the host calls; nobody does so here.
void joined_rows_do(uint32_t blocks, void *stream, uint8_t *x, uint8_t *y, uint8_t *z, uint8_t *tiling) {
  joined_rows<<<blocks, nullptr, stream>>>(x, y, nullptr, nullptr, z, nullptr, nullptr, tiling);
}
