// SPDX-License-Identifier: Apache-2.0
// The gradient of the grid of bilinear samples with many channels, from channels-last copies of the images
// and of the gradients. The four neighbours of a sample are a window of 2 x 2 pixels, which one copy loads
// with all channels (bilinear_rows.h). So a random grid costs no more than a smooth one.
#pragma once

#include "../common/sampling/corner_dots.h"
#include "../common/vectors/casts.h"
#include "grid_gradient.h"

namespace avo {

template <typename T>
class GridWindowGradient : GridTiles<T, true> {
 public:
  // rows: gradients of the samples, images: both channels-last. Takes GridWindowBuffers of the Unified
  // Buffer.
  __aicore__ inline void Init(GM_ADDR rows, GM_ADDR images, GM_ADDR grid, GM_ADDR grad_grid,
                              const GridSamplerBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    sums_.Init(grad_grid, tiling, pipe);
    const auto &t = this->t_;
    batch_ = tiling.batch, chunk_ = tiling.chunk;
    grads_ = LayoutOf(tiling.grads);
    grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(rows),
                              grads_.images * grads_.ImagePixels() * grads_.pixel);
    windows_.Init(images, LayoutOf(tiling.input), t.capacity, batch_, chunk_, pipe);
    dots_.Init(t.capacity, batch_, chunk_, pipe);
    const GridWindowBuffers buffers(t.capacity, batch_, chunk_, sizeof(T));
    pipe->InitBuffer(grads_queue_, buffers.grads.count, buffers.grads.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    ZeroQueue<T>(grads_queue_, 2, batch_ * chunk_);  // the last chunk of channels may leave some out
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.images * t.columnTiles);
    for (int64_t tile = share.begin; tile < share.end; ++tile) {
      this->SetTile(tile);
      this->Locate();
      FindWindows();
      for (uint32_t s = 0; s < this->tile_.count; s += batch_) {
        const uint32_t count = MinRemaining(this->tile_.count - s, batch_);
        for (int64_t c = 0; c < t.channels; c += chunk_) {
          AddDots(s, count, static_cast<uint32_t>(c), MinRemaining(t.channels - c, chunk_));
        }
      }
      sums_.Clear(this->tile_.whole);
      for (uint32_t i = 0; i < CornerDots::kCorners; ++i) {
        const uint32_t y = i / 2, x = i % 2;
        sums_.Add(dots_.Dot(i), this->taps_.Slope(kAxisY, y), this->taps_.Weight(kAxisY, y),
                  this->taps_.Slope(kAxisX, x), this->taps_.Weight(kAxisX, x), this->tile_.whole);
      }
      sums_.CopyOut(this->tile_.image * t.outColumns + this->TileStart(), this->tile_.count);
    }
  }

 private:
  // Sets the windows of the tile's samples. Those that no pixel of the image lies in read zeros.
  __aicore__ inline void FindWindows() {
    const auto &t = this->t_;
    const uint32_t whole = this->tile_.whole;
    const auto y = this->taps_.Index(kAxisY, 0), x = this->taps_.Index(kAxisX, 0);
    const auto bits = bits_.template Get<uint8_t>();
    const auto other = bits[static_cast<uint32_t>(GridTapsBuffers::MaskBytes(t.capacity))];
    SetBitsBetween(bits, other, y, -1.0f, t.lastY, false, whole);
    KeepBits(bits, other, x, -1.0f, AscendC::CMPMODE::GE, whole);
    KeepBits(bits, other, x, t.lastX, AscendC::CMPMODE::LE, whole);
    windows_.SetWindows(y, x, bits, whole);
  }

  // Adds the products over channels [channel, channel + width) of samples [first, first + count) of the tile.
  __aicore__ inline void AddDots(uint32_t first, uint32_t count, uint32_t channel, uint32_t width) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    const auto &tile = this->tile_;
    windows_.CopyIn(tile.image, first, count, channel, RoundUp(width, kLane));
    auto given = grads_queue_.template AllocTensor<T>();
    const int64_t pixel = grads_.Pixel(tile.image, 0, 0) + this->TileStart() + first;
    CopyRowsIn(given, chunk_, grads_gm_, pixel * grads_.pixel + channel, grads_.pixel, count, width);
    grads_queue_.EnQue(given);
    const auto rows = windows_.Rows();
    given = grads_queue_.template DeQue<T>();
    const auto grads = CastTo<float>(given, wide_, count * chunk_);
    dots_.Add(rows, windows_.Samples(), grads, first, count, channel, width);
    grads_queue_.FreeTensor(given);
    windows_.Release();
  }

  GridSums<T> sums_;
  BilinearRows<T> windows_;
  CornerDots dots_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grads_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> bits_, wide_;
  AscendC::GlobalTensor<T> grads_gm_;
  ChannelsLast grads_;
  uint32_t batch_, chunk_;  // samples and channels that are loaded together
};

}  // namespace avo
