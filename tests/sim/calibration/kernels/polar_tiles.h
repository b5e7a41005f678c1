// SPDX-License-Identifier: Apache-2.0
// Polar coordinates to complex numbers, where the angles repeat: cosines and sines of a tile lie in UB, so
// that a tile is two products and one Gather, which puts real and imaginary parts in turn.
#pragma once

#include "kernel_operator.h"

struct PolarTilesTiling {
  uint32_t count;
  uint32_t period;  // of the angles
};

class PolarTiles {
 public:
  static constexpr uint32_t kTile = 2048;

  __aicore__ inline void Init(GM_ADDR radii, GM_ADDR out, const PolarTilesTiling &tiling) {
    const uint32_t periods = tiling.count / tiling.period, blocks = AscendC::GetBlockNum();
    const uint32_t block = AscendC::GetBlockIdx(), more = periods % blocks;
    const uint64_t first = uint64_t{block} * (periods / blocks) + (block < more ? block : more);
    begin_ = first * tiling.period;
    count_ = (periods / blocks + (block < more ? 1 : 0)) * tiling.period;
    radii_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(radii), tiling.count);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(out), uint64_t{tiling.count} * 2);
    pipe_.InitBuffer(in_, 2, 2 * kTile * sizeof(float));
    pipe_.InitBuffer(interleaved_, 2, 2 * kTile * sizeof(float));
    for (auto *buffer : {&parts_, &offsets_, &turns_}) pipe_.InitBuffer(*buffer, 2 * kTile * sizeof(float));
    // Element j of a pair comes from the cosines where j is even, else from the sines.
    auto offsets = offsets_.Get<int32_t>(), pairs = parts_.Get<int32_t>();
    AscendC::CreateVecIndex(offsets, int32_t{0}, 2 * kTile);
    AscendC::ShiftRight(pairs, offsets, int32_t{1}, 2 * kTile);
    AscendC::Muls(offsets, offsets, static_cast<int32_t>(4 * kTile), 2 * kTile);
    AscendC::Muls(pairs, pairs, 4 - static_cast<int32_t>(8 * kTile), 2 * kTile);
    AscendC::Add(offsets, offsets, pairs, 2 * kTile);
    CopyTurns(tiling.period);
  }

  __aicore__ inline void Process() {
    for (uint32_t start = 0; start < count_; start += kTile) {
      const uint32_t n = count_ - start < kTile ? count_ - start : kTile;
      auto in = in_.AllocTensor<float>();
      AscendC::DataCopyPad(in, radii_[begin_ + start],
                           AscendC::DataCopyExtParams(1, n * sizeof(float), 0, 0, 0),
                           AscendC::DataCopyPadExtParams<float>(false, 0, 0, 0));
      in_.EnQue(in);
      in = in_.DeQue<float>();
      auto parts = parts_.Get<float>(), turns = turns_.Get<float>();
      AscendC::Mul(parts, turns, in, n);
      AscendC::Mul(parts[kTile], turns[kTile], in, n);
      in_.FreeTensor(in);
      auto out = interleaved_.AllocTensor<float>();
      AscendC::Gather(out, parts, offsets_.Get<uint32_t>(), uint32_t{0}, 2 * n);
      interleaved_.EnQue(out);
      out = interleaved_.DeQue<float>();
      AscendC::DataCopyPad(out_[2 * (begin_ + start)], out,
                           AscendC::DataCopyExtParams(1, 2 * n * sizeof(float), 0, 0, 0));
      interleaved_.FreeTensor(out);
    }
  }

  // Cosines and sines of one period, side by side as often as a tile has periods.
  __aicore__ inline void CopyTurns(uint32_t period) {
    auto angles = in_.AllocTensor<float>();
    AscendC::DataCopyPad(angles, radii_, AscendC::DataCopyExtParams(1, period * sizeof(float), 0, 0, 0),
                         AscendC::DataCopyPadExtParams<float>(false, 0, 0, 0));
    in_.EnQue(angles);
    angles = in_.DeQue<float>();
    auto turns = turns_.Get<float>(), once = parts_.Get<float>();
    AscendC::Cos(once, angles, period);
    AscendC::Sin(once[period], angles, period);
    in_.FreeTensor(angles);
    for (uint32_t start = 0; start < kTile; start += period) {
      AscendC::DataCopy(turns[start], once, period);
      AscendC::DataCopy(turns[kTile + start], once[period], period);
    }
  }

 private:
  uint64_t begin_ = 0;
  uint32_t count_ = 0;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> interleaved_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> parts_, offsets_, turns_;
  AscendC::GlobalTensor<float> radii_, out_;
};

extern "C" __global__ __aicore__ void polar_tiles(GM_ADDR radii, GM_ADDR out, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(PolarTilesTiling, data, tiling);
  PolarTiles op;
  op.Init(radii, out, data);
  op.Process();
}
