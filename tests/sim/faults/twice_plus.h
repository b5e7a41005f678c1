// SPDX-License-Identifier: Apache-2.0
// A small correct kernel; broken variants of it are in the files *_cases.cpp. It computes out = 2 * self +
// other, tile by tile.
#pragma once

#include "kernel_operator.h"

constexpr uint32_t kTile = 1024;  // floats of a copy
constexpr uint32_t kTiles = 4;    // tiles of a block

class TwicePlus {
 public:
  __aicore__ inline void Init(GM_ADDR self, GM_ADDR other, GM_ADDR out, AscendC::TPipe *pipe) {
    const uint64_t first = AscendC::GetBlockIdx() * uint64_t{kTile} * kTiles;
    self_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(self) + first, kTile * kTiles);
    other_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(other) + first, kTile * kTiles);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(out) + first, kTile * kTiles);
    pipe->InitBuffer(in_, 2, 2 * kTile * sizeof(float));
    pipe->InitBuffer(results_, 2, kTile * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
      CopyIn(tile);
      Compute();
      CopyOut(tile);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t tile) {
    auto both = in_.AllocTensor<float>();
    AscendC::DataCopy(both, self_[tile * kTile], kTile);
    AscendC::DataCopy(both[kTile], other_[tile * kTile], kTile);
    in_.EnQue(both);
  }
  __aicore__ inline void Compute() {
    auto both = in_.DeQue<float>();
    auto result = results_.AllocTensor<float>();
    AscendC::Muls(result, both, 2.0f, kTile);
    AscendC::Add(result, result, both[kTile], kTile);
    results_.EnQue(result);
    in_.FreeTensor(both);
  }
  __aicore__ inline void CopyOut(uint32_t tile) {
    auto result = results_.DeQue<float>();
    AscendC::DataCopy(out_[tile * kTile], result, kTile);
    results_.FreeTensor(result);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> results_;
  AscendC::GlobalTensor<float> self_, other_, out_;
};
