// SPDX-License-Identifier: Apache-2.0
// GELU of a matrix of float, tile by tile: eight instructions of which five read and write one buffer.
#pragma once

#include "kernel_operator.h"

struct GeluTilesTiling {
  uint32_t rows;  // of the matrix
  uint32_t columns;
  uint32_t tile_rows;
  uint32_t tile_columns;
};

extern "C" __global__ __aicore__ void gelu_tiles(GM_ADDR values, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(GeluTilesTiling, t, tiling);
  AscendC::GlobalTensor<float> all;
  all.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(values), uint64_t{t.rows} * t.columns);
  const uint32_t count = t.tile_rows * t.tile_columns, bytes = t.tile_columns * sizeof(float);
  const uint32_t gap = (t.columns - t.tile_columns) * sizeof(float);
  AscendC::LocalTensor<float> x(AscendC::TPosition::VECIN, 0, count);
  AscendC::LocalTensor<float> y(AscendC::TPosition::VECOUT, count * sizeof(float), count);
  const uint32_t across = t.columns / t.tile_columns, tiles = t.rows / t.tile_rows * across;
  AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(0);
  AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(0);
  for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
    const auto place =
        all[uint64_t{tile / across} * t.tile_rows * t.columns + tile % across * t.tile_columns];
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::DataCopyPad(x, place, AscendC::DataCopyExtParams(t.tile_rows, bytes, gap, 0, 0),
                         AscendC::DataCopyPadExtParams<float>(false, 0, 0, 0));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(0);
    // x / (1 + exp(-1.5958 (x + 0.044715 x^3)))
    AscendC::Mul(y, x, x, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(y, y, x, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(y, y, 0.044715f, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(y, x, y, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(y, y, -1.5957691f, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(y, y, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(y, y, 1.0f, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(y, x, y, count);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::DataCopyPad(place, y, AscendC::DataCopyExtParams(t.tile_rows, bytes, 0, gap, 0));
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(0);
  }
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(0);
}
