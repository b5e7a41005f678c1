// SPDX-License-Identifier: Apache-2.0
// Copies a matrix of half to L1 tile by tile, as fractals (NZ), and does nothing with it: copy_tiles of cube
// cores.
#pragma once

#include "copy_tiles.h"

class FractalTiles {
 public:
  __aicore__ inline void Init(GM_ADDR source, const CopyTilesTiling &tiling) {
    t_ = tiling;
    source_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(source), uint64_t{t_.rows} * t_.columns);
    if (t_.bypass != 0) source_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
  }

  __aicore__ inline void Process() {
    VisitTiles(t_,
               [this](uint32_t row, uint32_t column, uint32_t columns) { CopyTile(row, column, columns); });
  }

 private:
  __aicore__ inline void CopyTile(uint32_t row, uint32_t column, uint32_t columns) {
    AscendC::LocalTensor<half> tile(AscendC::TPosition::A1, 0, t_.tile_rows * t_.tile_columns);
    AscendC::DataCopy(tile, source_[uint64_t{row} * t_.columns + column],
                      AscendC::Nd2NzParams(1, t_.tile_rows, columns, 0, t_.columns, t_.tile_rows, 1, 0));
  }

  CopyTilesTiling t_;
  AscendC::GlobalTensor<half> source_;
};

extern "C" __global__ __aicore__ void fractal_tiles(GM_ADDR source, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(CopyTilesTiling, data, tiling);
  FractalTiles op;
  op.Init(source, data);
  op.Process();
}
