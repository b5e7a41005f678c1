// SPDX-License-Identifier: Apache-2.0
// Gradient of cummax and cummin (leader_gradients.h). An element leads where its index is its own. It is
// bound by memory, and needs neither a workspace nor scattered writes.
//   columns  along any dimension but the last
//   rows     along the last dimension: rows are transposed to lanes
#pragma once

#include "cummaxmin_backward_tiling.h"
#include "leader_gradients.h"

template <typename T, typename I, uint32_t KEY>
class CummaxminBackward : avo::LeaderGradients<T, KEY == 1> {
  using Tiles = avo::ScanTiles<T, KEY == 1>;
  using Pieces = avo::ScanPieces<T, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR grad_values, GM_ADDR indices, GM_ADDR out, GM_ADDR,
                              const CummaxminBackwardTiling &tiling, AscendC::TPipe *pipe) {
    const CummaxminBackwardBuffers buffers(tiling, Pieces::kLayout, sizeof(I));
    this->InitGradients(grad_values, out, tiling, buffers.sums, pipe);
    most_positions_ = tiling.tileLength;
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices),
                                tiling.outer * tiling.length * tiling.inner);
    pipe->InitBuffer(indices_queue_, buffers.indices.count, buffers.indices.bytes);
    avo::ZeroQueue<I>(indices_queue_, 2, this->most_copied_);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    if constexpr (!kIndexDirect) pipe->InitBuffer(narrow_, buffers.narrow.bytes);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Pieces;
  static constexpr bool kIndexDirect = sizeof(I) == sizeof(int32_t);

  __aicore__ inline void Compute() {
    auto copied = this->CopyIn(indices_queue_, indices_gm_);
    AscendC::LocalTensor<int32_t> indices;
    if constexpr (kIndexDirect) {
      indices = copied;
    } else {
      indices = narrow_.template Get<int32_t>();
      AscendC::Cast(indices, copied, AscendC::RoundMode::CAST_NONE, this->most_copied_);
    }
    const auto following = this->Following(), numbers = numbers_.template Get<int32_t>();
    if constexpr (KEY == 1) {
      this->ToPositions(following, indices);
      indices = following;
    }
    if (numbered_width_ != this->Width()) NumberPositions();
    // An element that follows has an index below its own: the difference is negative, and a shift fills the
    // word with the sign.
    const uint32_t count = this->piece_.positions * this->Width();
    const int32_t begin = static_cast<int32_t>(this->piece_.begin);
    AscendC::Sub(following, indices, numbers, count);
    if (begin > 0) AscendC::Adds(following, following, -begin, count);
    AscendC::ShiftRight(following, following, 31, count);
    indices_queue_.FreeTensor(copied);
    this->Sum();
  }

  // Numbers the positions of a tile: position p holds p in all lanes.
  __aicore__ inline void NumberPositions() {
    const uint32_t width = this->Width();
    for (uint32_t p = 0; p < most_positions_; ++p) {
      AscendC::Duplicate(numbers_.template Get<int32_t>()[p * width], static_cast<int32_t>(p), width);
    }
    numbered_width_ = width;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> indices_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, narrow_;
  AscendC::GlobalTensor<I> indices_gm_;
  uint32_t most_positions_;
  uint32_t numbered_width_ = 0;  // the width that numbers_ has been written for; 0: none
};
