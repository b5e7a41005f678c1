// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples, one after the other, without a workspace and without atomics.
//
// Gradient of the grid (here): a core works on tiles of samples. It gathers the neighbours of a tile channel
// by channel, multiplies them with the gradients of the samples and with the derivatives of their weights,
// and adds up the products over all channels.
//
// Gradient of the images: grid_scatter.h.
#pragma once

#include "grid_sampler_backward_tiling.h"
#include "grid_scatter.h"

namespace avo {

template <typename T>
class GridGradient : GridBoxes<T, true> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR grid, GM_ADDR grad_grid,
                              const GridSamplerBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitBoxes(input, grid, tiling, pipe);
    const auto &t = this->t_;
    grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_output),
                              t.images * t.channels * t.outColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_grid), t.images * t.outColumns * 2);
    const GridGradientBuffers buffers(t.taps, t.capacity, t.boxElements, sizeof(T));
    pipe->InitBuffer(grads_queue_, buffers.grads.count, buffers.grads.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(slopes_, buffers.slopes.bytes);
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    pipe->InitBuffer(pairing_, buffers.pairing.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    BuildPairing();
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.images * t.columnTiles);
    for (int64_t tile = share.begin; tile < share.end; ++tile) {
      this->SetTile(tile);
      AscendC::Duplicate(Sum(kAxisY), 0.0f, this->tile_.whole);
      AscendC::Duplicate(Sum(kAxisX), 0.0f, this->tile_.whole);
      // In mode nearest the gradient is 0: a small change of a coordinate does not change the nearest pixel.
      if (t.interpolation != 1) Compute();
      CopyOut();
    }
  }

 private:
  __aicore__ inline AscendC::LocalTensor<float> Sum(uint32_t axis) {
    return sums_.template Get<float>()[axis * this->t_.capacity];
  }
  __aicore__ inline AscendC::LocalTensor<float> SlopeTable(uint32_t axis) {
    return slopes_.template Get<float>()[axis * this->t_.taps * this->t_.taps * this->t_.capacity];
  }

  __aicore__ inline void Compute() {
    this->LoadGrid();
    for (uint32_t axis = 0; axis < 2; ++axis) this->Locate(axis);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      this->taps_.FillSlopes(axis, SlopeTable(axis), this->tile_.whole);
    }
    this->FindBox();
    for (uint32_t piece = 0; piece < this->pieces_; ++piece) {
      this->SetPiece(piece);
      for (int64_t channel = 0; channel < this->t_.channels; ++channel) AddChannel(channel);
    }
  }

  // Adds what one channel contributes to the sums of both axes.
  __aicore__ inline void AddChannel(int64_t channel) {
    const auto &t = this->t_;
    const uint32_t count = this->tile_.count;
    auto given = grads_queue_.template AllocTensor<T>();
    CopyRowsIn(given, t.capacity, grads_gm_,
               (this->tile_.image * t.channels + channel) * t.outColumns + this->TileStart(), count, 1,
               count);
    grads_queue_.EnQue(given);
    auto box = this->CopyBox(channel);
    given = grads_queue_.template DeQue<T>();
    AscendC::LocalTensor<float> grads;
    if constexpr (sizeof(T) == sizeof(float)) {
      grads = given;
    } else {
      grads = this->Work(1);
      AscendC::Cast(grads, given, AscendC::RoundMode::CAST_NONE, count);
    }
    const auto value = this->Work(0);
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) {
      this->GatherTap(value, box, i);
      AscendC::Mul(value, value, grads, count);
      AscendC::MulAddDst(Sum(kAxisY), value, SlopeTable(kAxisY)[i * t.capacity], count);
      AscendC::MulAddDst(Sum(kAxisX), value, SlopeTable(kAxisX)[i * t.capacity], count);
    }
    grads_queue_.FreeTensor(given);
    this->box_queue_.FreeTensor(box);
  }

  // Fills pairing_ with the offsets by which a gather interleaves the two rows of sums:
  //
  //   sums_      y0 y1 y2 … x0 x1 x2 …       x begins `capacity` elements behind y
  //   gathered   x0 y0 x1 y1 x2 y2 …
  __aicore__ inline void BuildPairing() {
    const uint32_t capacity = this->t_.capacity, count = 2 * capacity;
    const auto half = sums_.template Get<float>(), place = slopes_.template Get<float>();
    AscendC::CreateVecIndex(half, 0.0f, count);
    AscendC::Muls(half, half, 0.5f, count);
    Floor(place, half, count);
    AscendC::Sub(half, place, half, count);
    // For element i, place is floor(i / 2). half is 0 where i is even, which takes x, and else -0.5. So place
    // becomes floor(i / 2) + capacity for x, and floor(i / 2) for y.
    const float behind = static_cast<float>(static_cast<int32_t>(capacity));
    AscendC::Muls(half, half, 2 * behind, count);
    AscendC::Add(place, place, half, count);
    AscendC::Adds(place, place, behind, count);
    ByteOffsets<float>(pairing_.template Get<int32_t>(), place, count);
  }

  // Interleaves the sums of the tile, and stores them.
  __aicore__ inline void CopyOut() {
    const uint32_t count = 2 * this->tile_.count;
    auto out = out_queue_.template AllocTensor<T>();
    AscendC::LocalTensor<float> pairs;
    if constexpr (sizeof(T) == sizeof(float)) {
      pairs = out;
    } else {
      pairs = wide_.template Get<float>();
    }
    AscendC::Gather(pairs, sums_.template Get<float>(), pairing_.template Get<uint32_t>(), 0, count);
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(out, pairs, AscendC::RoundMode::CAST_RINT, count);
    }
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    const int64_t to = (this->tile_.image * this->t_.outColumns + this->TileStart()) * 2;
    CopyRowsOut(out_gm_, to, count, out, RoundUp(count, this->kLane), 1, count);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> grads_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> slopes_, sums_, pairing_, wide_;
  AscendC::GlobalTensor<T> grads_gm_, out_gm_;
};

}  // namespace avo

template <typename T, uint32_t KEY>
class GridSamplerBackward {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR grid, GM_ADDR grad_input,
                              GM_ADDR grad_grid, GM_ADDR, const GridSamplerBackwardTiling &tiling,
                              AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    grad_output_ = grad_output;
    input_ = input;
    grid_ = grid;
    grad_input_ = grad_input;
    grad_grid_ = grad_grid;
  }

  __aicore__ inline void Process() {
    if (tiling_.gradGrid != 0) {
      avo::GridGradient<T> of_grid;
      of_grid.Init(grad_output_, input_, grid_, grad_grid_, tiling_, pipe_);
      of_grid.Process();
      avo::ReleaseBuffers(pipe_);
    }
    if (tiling_.gradInput != 0) {
      avo::GridScatter<T> of_images;
      of_images.Init(grad_output_, grid_, grad_input_, tiling_, pipe_);
      of_images.Process();
    }
  }

 private:
  GridSamplerBackwardTiling tiling_;
  AscendC::TPipe *pipe_;
  GM_ADDR grad_output_;
  GM_ADDR input_;
  GM_ADDR grid_;
  GM_ADDR grad_input_;
  GM_ADDR grad_grid_;
};
