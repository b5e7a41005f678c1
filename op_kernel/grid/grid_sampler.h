// SPDX-License-Identifier: Apache-2.0
// Samples images at the coordinates of a grid. A core works on tiles of samples, each with a group of
// channels. It finds the neighbours of a tile's samples once. Then, for one channel after the other, it
// copies the box of pixels around them, gathers the neighbours and adds them up, weighted (grid_boxes.h). The
// box of a smooth grid has few pixels that no sample needs. An image, a row and the number of channels may be
// of any size. Gather bounds the kernel, at five elements a cycle.
#pragma once

#include "grid_boxes.h"
#include "grid_sampler_tiling.h"

template <typename T, uint32_t KEY>
class GridSampler : avo::GridBoxes<T, false> {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR grid, GM_ADDR out, GM_ADDR,
                              const GridSamplerTiling &tiling, AscendC::TPipe *pipe) {
    this->InitBoxes(input, grid, tiling, pipe);
    channel_groups_ = tiling.channelGroups, group_channels_ = tiling.groupChannels;
    const auto &t = this->t_;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out),
                            t.images * t.channels * t.outRows * t.outColumns);
    const GridSamplerBuffers buffers(t.taps, t.capacity, t.boxElements, sizeof(T));
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(weights_, buffers.weights.bytes);
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const avo::Share share = avo::CoreShare(t.images * t.rowTiles * t.columnTiles * channel_groups_);
    int64_t located = -1;
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t tile = item / channel_groups_, first = item % channel_groups_ * group_channels_;
      if (tile != located) Prepare(tile);
      located = tile;
      const int64_t end = first + group_channels_ < t.channels ? first + group_channels_ : t.channels;
      for (int64_t channel = first; channel < end; ++channel) Compute(channel);
    }
  }

 private:
  // Does what all channels of a tile share: weights, and the place of each neighbour in its box.
  __aicore__ inline void Prepare(int64_t tile) {
    this->SetTile(tile);
    this->Locate();
    if (this->t_.taps > 1) this->taps_.FillWeights(weights_.template Get<float>(), this->tile_.whole);
    this->FindBox();
    this->SetPiece(0);
  }

  __aicore__ inline void Compute(int64_t channel) {
    const uint32_t count = this->tile_.count;
    auto out = out_queue_.template AllocTensor<T>();
    AscendC::LocalTensor<float> sum;
    if constexpr (sizeof(T) == sizeof(float)) {
      sum = out;
    } else {
      sum = this->Work(1);
    }
    for (uint32_t piece = 0; piece < this->pieces_; ++piece) {
      if (this->pieces_ > 1) this->SetPiece(piece);
      auto box = this->CopyBox(channel);
      AddPiece(sum, box, piece == 0);
      this->box_queue_.FreeTensor(box);
    }
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(out, sum, AscendC::RoundMode::CAST_RINT, count);
    }
    CopyOut(out, channel);
  }

  // Adds the weighted neighbours that lie in the piece. The first piece of a box starts the sum.
  __aicore__ inline void AddPiece(const AscendC::LocalTensor<float> &sum, const AscendC::LocalTensor<T> &box,
                                  bool first) {
    const uint32_t count = this->tile_.count, neighbours = this->t_.taps * this->t_.taps;
    const bool weighted = neighbours > 1;
    for (uint32_t i = 0; i < neighbours; ++i) {
      const bool set = first && i == 0;
      const auto value = set ? sum : this->Work(0);
      this->GatherTap(value, box, i);
      const auto weight = weights_.template Get<float>()[i * this->t_.capacity];
      if (set) {
        if (weighted) AscendC::Mul(sum, sum, weight, count);
      } else if (weighted) {
        AscendC::MulAddDst(sum, value, weight, count);
      } else {
        AscendC::Add(sum, sum, value, count);
      }
    }
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<T> &result, int64_t channel) {
    const auto &t = this->t_;
    const auto &tile = this->tile_;
    out_queue_.EnQue(result);
    auto out = out_queue_.template DeQue<T>();
    const int64_t plane = (tile.image * t.channels + channel) * t.outRows * t.outColumns;
    avo::CopyRowsOut(out_gm_, plane + this->TileStart(), t.outColumns, out,
                     tile.rows > 1 ? tile.columns : avo::RoundUp(tile.columns, this->kLane), tile.rows,
                     tile.columns);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_;
  AscendC::GlobalTensor<T> out_gm_;
  int64_t channel_groups_, group_channels_;
};
