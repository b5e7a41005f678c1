// SPDX-License-Identifier: Apache-2.0
// Rearranges a matrix of half to fractals on vector cores: a tile comes to UB, Copy spreads the data blocks
// of each row, and the columns of blocks go back. The distance of these columns in UB decides whether writes
// conflict.
#pragma once

#include "kernel_operator.h"

struct NdToNzTiling {
  uint32_t rows;
  uint32_t columns;
  uint32_t tile_rows;
  uint32_t pitch;  // data blocks from one column of blocks to the next
};

class NdToNz {
 public:
  static constexpr uint32_t kWidth = 128;  // elements of a tile's row: one repeat
  static constexpr uint32_t kBlock = 16;   // elements of a data block
  static constexpr uint32_t kSplits = 8;   // of the columns

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR z, const NdToNzTiling &tiling) {
    t_ = tiling;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), uint64_t{t_.rows} * t_.columns);
    z_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), uint64_t{t_.rows} * t_.columns);
  }

  __aicore__ inline void Process() {
    for (uint32_t buffer = 0; buffer < 2; ++buffer) {
      AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
      AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
    }
    const uint32_t groups = AscendC::GetBlockNum() / kSplits, group = AscendC::GetBlockIdx() / kSplits;
    const uint32_t tiles = (t_.rows + t_.tile_rows - 1) / t_.tile_rows;
    const uint32_t more = tiles % groups, begin = group * (tiles / groups) + (group < more ? group : more);
    const uint32_t width = t_.columns / kSplits, left = AscendC::GetBlockIdx() % kSplits * width;
    uint32_t buffer = 0;
    for (uint32_t tile = begin; tile < begin + tiles / groups + (group < more ? 1 : 0); ++tile) {
      for (uint32_t column = left; column < left + width; column += kWidth, buffer ^= 1) {
        Tile(tile * t_.tile_rows, column, buffer);
      }
    }
    for (uint32_t last = 0; last < 2; ++last) {
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(last);
      AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(last);
    }
  }

 private:
  __aicore__ inline void Tile(uint32_t row, uint32_t column, uint32_t buffer) {
    const uint16_t rows = t_.rows - row < t_.tile_rows ? t_.rows - row : t_.tile_rows;
    const uint32_t in_bytes = t_.tile_rows * kWidth * sizeof(half);
    const uint32_t out_bytes = t_.pitch * kWidth * sizeof(half);
    AscendC::LocalTensor<half> in(AscendC::TPosition::VECIN, buffer * in_bytes, t_.tile_rows * kWidth);
    AscendC::LocalTensor<half> out(AscendC::TPosition::VECOUT, 2 * in_bytes + buffer * out_bytes,
                                   t_.pitch * kWidth);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(buffer);
    constexpr uint16_t blocks = kWidth / kBlock;
    AscendC::DataCopy(in, x_[uint64_t{row} * t_.columns + column],
                      AscendC::DataCopyParams(rows, blocks, t_.columns / kBlock - blocks, 0));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buffer);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buffer);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(buffer);
    AscendC::Copy(out, in, kWidth, rows, AscendC::CopyRepeatParams(t_.pitch, 1, 1, blocks));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buffer);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buffer);
    AscendC::DataCopy(z_[(uint64_t{row} + uint64_t{column} / kBlock * t_.rows) * kBlock], out,
                      AscendC::DataCopyParams(blocks, rows, t_.pitch - rows, t_.rows - rows));
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
  }

  NdToNzTiling t_;
  AscendC::GlobalTensor<half> x_, z_;
};

extern "C" __global__ __aicore__ void nd_to_nz(GM_ADDR x, GM_ADDR z, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(NdToNzTiling, data, tiling);
  NdToNz op;
  op.Init(x, z, data);
  op.Process();
}
