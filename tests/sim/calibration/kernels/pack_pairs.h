// SPDX-License-Identifier: Apache-2.0
// Packs two arrays of float into pairs on the scalar unit: eight reads, then four writes of a pair each.
#pragma once

#include "kernel_operator.h"

struct PackPairsTiling {
  uint32_t share;  // of a core, a multiple of `tile`
  uint32_t tile;
};

extern "C" __global__ __aicore__ void pack_pairs(GM_ADDR first, GM_ADDR second, GM_ADDR pairs,
                                                 GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(PackPairsTiling, t, tiling);
  const uint64_t begin = uint64_t{static_cast<uint32_t>(AscendC::GetBlockIdx())} * t.share;
  AscendC::GlobalTensor<uint32_t> a, b;
  AscendC::GlobalTensor<uint64_t> c;
  a.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t *>(first) + begin, t.share);
  b.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t *>(second) + begin, t.share);
  c.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t *>(pairs) + begin, t.share);
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_a, in_b;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
  pipe.InitBuffer(in_a, 2, t.tile * sizeof(uint32_t));
  pipe.InitBuffer(in_b, 2, t.tile * sizeof(uint32_t));
  pipe.InitBuffer(out, 2, t.tile * sizeof(uint64_t));
  for (uint32_t start = 0; start < t.share; start += t.tile) {
    auto x = in_a.AllocTensor<uint32_t>(), y = in_b.AllocTensor<uint32_t>();
    AscendC::DataCopy(x, a[start], t.tile);
    AscendC::DataCopy(y, b[start], t.tile);
    in_a.EnQue(x);
    in_b.EnQue(y);
    x = in_a.DeQue<uint32_t>();
    y = in_b.DeQue<uint32_t>();
    auto z = out.AllocTensor<uint64_t>();
    for (uint32_t i = 0; i < t.tile; i += 4) {
      uint64_t low[4], high[4];
      for (uint32_t j = 0; j < 4; ++j) low[j] = x.GetValue(i + j);
      for (uint32_t j = 0; j < 4; ++j) high[j] = y.GetValue(i + j);
      for (uint32_t j = 0; j < 4; ++j) z.SetValue(i + j, low[j] | high[j] << 32);
    }
    out.EnQue(z);
    in_a.FreeTensor(x);
    in_b.FreeTensor(y);
    z = out.DeQue<uint64_t>();
    AscendC::DataCopy(c[start], z, t.tile);
    out.FreeTensor(z);
  }
}
