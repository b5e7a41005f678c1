// SPDX-License-Identifier: Apache-2.0
// Copies a matrix of half to UB tile by tile and does nothing with it, to measure copies of one shape.
#pragma once

#include "kernel_operator.h"

struct CopyTilesTiling {
  uint32_t rows;  // of the matrix
  uint32_t columns;
  uint32_t tile_rows;
  uint32_t tile_columns;
  uint32_t parts = 1;       // the columns are copied in so many parts
  uint32_t rounds = 1;      // each part is copied so many times
  uint32_t everything = 0;  // 1: each block copies the whole matrix, 0: its share of the rows
  uint32_t staggered = 0;   // with `everything`: each block starts at its own share
  uint32_t bypass = 0;      // 1: does not go through the L2
};

// Calls visit(row, column, columns) for each tile that a block copies, in its order.
template <typename Visit>
__aicore__ inline void VisitTiles(const CopyTilesTiling &t, Visit &&visit) {
  const uint32_t blocks = AscendC::GetBlockNum(), block = AscendC::GetBlockIdx();
  const uint32_t share = t.rows / blocks, width = t.columns / t.parts;
  for (uint32_t part = 0; part < t.parts; ++part) {
    const uint32_t end = part + 1 == t.parts ? t.columns : (part + 1) * width;
    for (uint32_t round = 0; round < t.rounds * (t.everything != 0 ? blocks : 1); ++round) {
      const uint32_t first = (t.everything == 0  ? block
                              : t.staggered != 0 ? (round + block) % blocks
                                                 : round) *
                             share;
      for (uint32_t row = first; row < first + share; row += t.tile_rows) {
        for (uint32_t column = part * width; column < end; column += t.tile_columns)
          visit(row, column, end - column < t.tile_columns ? end - column : t.tile_columns);
      }
    }
  }
}

class CopyTiles {
 public:
  __aicore__ inline void Init(GM_ADDR source, const CopyTilesTiling &tiling) {
    t_ = tiling;
    source_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(source), uint64_t{t_.rows} * t_.columns);
    if (t_.bypass != 0) source_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    slot_ = t_.tile_rows * t_.tile_columns;
    slots_ = kUbElements / slot_;
  }

  __aicore__ inline void Process() {
    VisitTiles(t_,
               [this](uint32_t row, uint32_t column, uint32_t columns) { CopyTile(row, column, columns); });
  }

 private:
  __aicore__ inline void CopyTile(uint32_t row, uint32_t column, uint32_t columns) {
    AscendC::LocalTensor<half> tile(AscendC::TPosition::VECIN, next_ * slot_ * sizeof(half), slot_);
    const AscendC::DataCopyExtParams rows(t_.tile_rows, columns * sizeof(half),
                                          (t_.columns - columns) * sizeof(half), 0, 0);
    AscendC::DataCopyPad(tile, source_[uint64_t{row} * t_.columns + column], rows,
                         AscendC::DataCopyPadExtParams<half>(false, 0, 0, 0));
    // The next copies overwrite these, and copies to the same bytes need an order.
    if (++next_ == slots_) {
      AscendC::PipeBarrier<PIPE_MTE2>();
      next_ = 0;
    }
  }

  static constexpr uint32_t kUbElements = 192 * 1024 / sizeof(half);
  CopyTilesTiling t_;
  uint32_t slot_ = 0;
  uint32_t slots_ = 0;
  uint32_t next_ = 0;
  AscendC::GlobalTensor<half> source_;
};

extern "C" __global__ __aicore__ void copy_tiles(GM_ADDR source, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(CopyTilesTiling, data, tiling);
  CopyTiles op;
  op.Init(source, data);
  op.Process();
}
