// SPDX-License-Identifier: Apache-2.0
// y = x * FACTOR, or x * x * FACTOR where SQUARED. A block takes every GetBlockNum()-th tile.
#include "kernel_operator.h"
#include "scaled_power_keys.h"

template <typename T, uint32_t FACTOR, bool SQUARED>
__global__ __aicore__ void scaled_power(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  using namespace AscendC;
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in;
  TQue<QuePosition::VECOUT, 2> out;
  pipe.InitBuffer(in, 2, data.tile * sizeof(T));
  pipe.InitBuffer(out, 2, data.tile * sizeof(T));
  GlobalTensor<T> from, to;
  from.SetGlobalBuffer((__gm__ T *)x, data.size);
  to.SetGlobalBuffer((__gm__ T *)y, data.size);
  for (uint32_t first = GetBlockIdx() * data.tile; first < data.size; first += GetBlockNum() * data.tile) {
    const uint32_t count = data.size - first < data.tile ? data.size - first : data.tile;
    LocalTensor<T> given = in.AllocTensor<T>();
    DataCopy(given, from[first], count);
    in.EnQue(given);
    given = in.DeQue<T>();
    LocalTensor<T> made = out.AllocTensor<T>();
    if constexpr (SQUARED) {
      Mul(made, given, given, count);
      Muls(made, made, static_cast<T>(FACTOR), count);
    } else {
      Muls(made, given, static_cast<T>(FACTOR), count);
    }
    in.FreeTensor(given);
    out.EnQue(made);
    made = out.DeQue<T>();
    DataCopy(to[first], made, count);
    out.FreeTensor(made);
  }
}
