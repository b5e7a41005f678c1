// SPDX-License-Identifier: Apache-2.0
// The gradient of the grid, from dot products: for each neighbour of a sample, the gradient of the sample
// times the neighbour, summed over the channels.
#pragma once

#include "grid_boxes.h"
#include "grid_sampler_backward_tiling.h"

namespace avo {

// The sums of a tile of samples, and how they are stored.
template <typename T>
class GridSums {
 public:
  __aicore__ inline void Init(GM_ADDR grad_grid, const GridTiling &t, AscendC::TPipe *pipe) {
    capacity_ = t.capacity;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_grid), t.images * t.outColumns * 2);
    const GridSumsBuffers buffers(t.capacity, sizeof(T));
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    pipe->InitBuffer(product_, buffers.product.bytes);
    pipe->InitBuffer(pairing_, buffers.pairing.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    BuildPairing();
  }

  __aicore__ inline void Clear(uint32_t count) {
    AscendC::Duplicate(Sum(kAxisY), 0.0f, count);
    AscendC::Duplicate(Sum(kAxisX), 0.0f, count);
  }

  // Adds the dots with neighbour (y, x), times the derivatives of the neighbour's weight along both axes.
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &dots,
                             const AscendC::LocalTensor<float> &slope_y,
                             const AscendC::LocalTensor<float> &weight_y,
                             const AscendC::LocalTensor<float> &slope_x,
                             const AscendC::LocalTensor<float> &weight_x, uint32_t count) {
    const auto product = product_.template Get<float>();
    AscendC::Mul(product, dots, weight_x, count);
    AscendC::MulAddDst(Sum(kAxisY), product, slope_y, count);
    AscendC::Mul(product, dots, weight_y, count);
    AscendC::MulAddDst(Sum(kAxisX), product, slope_x, count);
  }

  // Interleaves the sums of `samples` samples, and stores them from sample `first` of all images on.
  __aicore__ inline void CopyOut(int64_t first, uint32_t samples) {
    const uint32_t count = 2 * samples;
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
    CopyRowsOut(gm_, 2 * first, count, out, RoundUp(count, kBlockBytes / sizeof(T)), 1, count);
    out_queue_.FreeTensor(out);
  }

 private:
  __aicore__ inline AscendC::LocalTensor<float> Sum(uint32_t axis) {
    return sums_.template Get<float>()[axis * capacity_];
  }

  // Fills pairing_ with the offsets by which a gather interleaves the two rows of sums:
  //
  //   sums_      y0 y1 y2 … x0 x1 x2 …       x begins `capacity` elements behind y
  //   gathered   x0 y0 x1 y1 x2 y2 …
  __aicore__ inline void BuildPairing() {
    const uint32_t count = 2 * capacity_;
    const auto half = sums_.template Get<float>(), place = product_.template Get<float>();
    AscendC::CreateVecIndex(half, 0.0f, count);
    AscendC::Muls(half, half, 0.5f, count);
    Floor(place, half, count);
    AscendC::Sub(half, place, half, count);
    // For element i, place is floor(i / 2). half is 0 where i is even, which takes x, and else -0.5. So place
    // becomes floor(i / 2) + capacity for x, and floor(i / 2) for y.
    const float behind = ToFloat(capacity_);
    AscendC::Muls(half, half, 2 * behind, count);
    AscendC::Add(place, place, half, count);
    AscendC::Adds(place, place, behind, count);
    ByteOffsets<float>(pairing_.template Get<int32_t>(), place, count);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_, product_, pairing_, wide_;
  AscendC::GlobalTensor<T> gm_;
  uint32_t capacity_;
};

// From the boxes of pixels around tiles of samples (grid_boxes.h): neighbours are gathered channel by
// channel.
template <typename T>
class GridGradient : GridBoxes<T, true> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR grid, GM_ADDR grad_grid,
                              const GridTiling &tiling, AscendC::TPipe *pipe) {
    this->InitBoxes(input, grid, tiling, pipe);
    sums_.Init(grad_grid, tiling, pipe);
    const auto &t = this->t_;
    grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_output),
                              t.images * t.channels * t.outColumns);
    const GridGradientBuffers buffers(t.taps, t.capacity, t.boxElements, sizeof(T));
    pipe->InitBuffer(grads_queue_, buffers.grads.count, buffers.grads.bytes);
    pipe->InitBuffer(weights_, buffers.weights.bytes);
    pipe->InitBuffer(dots_, buffers.dots.bytes);
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.images * t.columnTiles);
    for (int64_t tile = share.begin; tile < share.end; ++tile) {
      this->SetTile(tile);
      sums_.Clear(this->tile_.whole);
      // In mode nearest the gradient is 0: a small change of a coordinate does not change the nearest pixel.
      if (t.interpolation != 1) Compute();
      sums_.CopyOut(this->tile_.image * t.outColumns + this->TileStart(), this->tile_.count);
    }
  }

 private:
  // The weights of neighbour `tap` along an axis. GridTaps overwrites its own.
  __aicore__ inline AscendC::LocalTensor<float> Weight(uint32_t axis, uint32_t tap) {
    return weights_.template Get<float>()[(axis * this->t_.taps + tap) * this->t_.capacity];
  }
  // The dots with neighbour i.
  __aicore__ inline AscendC::LocalTensor<float> Dot(uint32_t i) {
    return dots_.template Get<float>()[i * this->t_.capacity];
  }

  __aicore__ inline void Compute() {
    const uint32_t taps = this->t_.taps, whole = this->tile_.whole;
    this->Locate();
    for (uint32_t i = 0; i < 2 * taps; ++i) {
      AscendC::Adds(Weight(i / taps, i % taps), this->taps_.Weight(i / taps, i % taps), 0.0f, whole);
    }
    for (uint32_t i = 0; i < taps * taps; ++i) AscendC::Duplicate(Dot(i), 0.0f, whole);
    this->FindBox();
    for (uint32_t piece = 0; piece < this->pieces_; ++piece) {
      this->SetPiece(piece);
      for (int64_t channel = 0; channel < this->t_.channels; ++channel) AddChannel(channel);
    }
    for (uint32_t i = 0; i < taps * taps; ++i) {
      const uint32_t y = i / taps, x = i % taps;
      sums_.Add(Dot(i), this->taps_.Slope(kAxisY, y), Weight(kAxisY, y), this->taps_.Slope(kAxisX, x),
                Weight(kAxisX, x), whole);
    }
  }

  // Adds the products of one channel to the dots.
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
      AscendC::MulAddDst(Dot(i), value, grads, count);
    }
    grads_queue_.FreeTensor(given);
    this->box_queue_.FreeTensor(box);
  }

  GridSums<T> sums_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grads_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_, dots_;
  AscendC::GlobalTensor<T> grads_gm_;
};

}  // namespace avo
