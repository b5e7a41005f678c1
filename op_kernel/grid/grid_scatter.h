// SPDX-License-Identifier: Apache-2.0
// The gradient of the images that a grid sampled.
//
// A core owns a band of pixels and a group of channels: no other core adds to them. Their sums lie in UB, the
// channels of a pixel side by side. The core goes through all samples of the image in their order. If a
// neighbour of a sample lies in the band, the pair is a hit: one vector instruction adds the gradient of the
// sample, times the weight of the neighbour, to all channels of that pixel. So every sum has a fixed order.
//
//   image          bands, 2 rows each        sums in UB, a row for each pixel of the band
//   . . . . . .    0 0 0 0 0 0               none     -                        <- number 0
//   . . . . . .    0 0 0 0 0 0               pixel 0  c0 c1 c2 … c15           <- number 1
//   . . . . . .    1 1 1 1 1 1               pixel 1  c0 c1 c2 … c15
//   . . . . . .    1 1 1 1 1 1               …
//
// The gradients of samples come in batches of 64. While one batch is added, the next one with a hit is
// copied.
#pragma once

#include "../common/copies/channels_last.h"
#include "grid_boxes.h"
#include "grid_buffers.h"

namespace avo {

template <typename T>
class GridScatter : GridTiles<T, false> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR grid, GM_ADDR grad_input, const GridTiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    const auto &t = this->t_;
    grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_output),
                              t.images * t.channels * t.outColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_input),
                            t.images * t.channels * t.height * t.width);
    group_ = t.groupChannels;
    const uint32_t pixels = static_cast<uint32_t>(t.bandRows * t.bandColumns);
    pixels_ = RoundUp(pixels, kLanes);
    const GridScatterBuffers buffers(t.taps, t.capacity, group_, pixels, sizeof(T));
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(weights_, buffers.weights.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(rounded_, buffers.rounded.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    pipe->InitBuffer(hits_, buffers.hits.bytes);
    pipe->InitBuffer(hit_bits_, buffers.hit_bits.bytes);
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    AscendC::CreateVecIndex(numbers_.template Get<int32_t>(), int32_t(0), t.capacity);
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const int64_t row_bands = (t.height + t.bandRows - 1) / t.bandRows;
    const int64_t column_bands = (t.width + t.bandColumns - 1) / t.bandColumns;
    const int64_t bands = row_bands * column_bands;
    const Share share = CoreShare(t.images * t.channelGroups * bands);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t band = item % bands;
      image_ = item / bands / t.channelGroups;
      channel_ = item / bands % t.channelGroups * group_;
      channels_ = MinRemaining(t.channels - channel_, group_);
      width_ = RoundUp(channels_, kLanes);
      row_ = band / column_bands * t.bandRows;
      column_ = band % column_bands * t.bandColumns;
      band_rows_ = MinRemaining(t.height - row_, static_cast<uint32_t>(t.bandRows));
      band_columns_ = MinRemaining(t.width - column_, static_cast<uint32_t>(t.bandColumns));
      AscendC::Duplicate(sums_.template Get<float>(), 0.0f, (1 + pixels_) * width_);
      for (int64_t tile = 0; tile < t.columnTiles; ++tile) AddTile(image_ * t.columnTiles + tile);
      CopyOut();
    }
  }

 private:
  static constexpr uint32_t kBatch = GridScatterBuffers::kBatch;  // samples: a repeat
  static constexpr uint32_t kPitch = GridScatterBuffers::Pitch(sizeof(T));
  static constexpr uint32_t kMostTile = 1024;  // more samples than a tile has
  static constexpr uint32_t kMostTaps = 16;    // neighbours of a sample

  // Whether a neighbour of the tile may lie in [begin, begin + size) along an axis.
  __aicore__ inline bool Touches(uint32_t axis, int64_t begin, uint32_t size) {
    int32_t first = 0, last = 0;
    this->taps_.FindExtent(axis, this->tile_.count, this->tile_.whole, first, last);
    return last >= begin && first < begin + size;
  }

  // Adds the hits of a tile of samples to the sums of the band.
  __aicore__ inline void AddTile(int64_t tile) {
    const auto &t = this->t_;
    this->SetTile(tile);
    this->LoadGrid();
    this->Locate(kAxisY);
    if (!Touches(kAxisY, row_, band_rows_)) return;
    this->Locate(kAxisX);
    if (band_columns_ < t.width && !Touches(kAxisX, column_, band_columns_)) return;
    const uint32_t whole = this->tile_.whole;
    if (t.taps > 1) this->taps_.FillWeights(weights_.template Get<float>(), whole);
    // A neighbour's place is the number of its pixel in the band, from 1 on; 0 stands for no pixel.
    this->taps_.SetPlaces(kAxisY, static_cast<int32_t>(row_), band_rows_, band_columns_, 1, whole);
    this->taps_.SetPlaces(kAxisX, static_cast<int32_t>(column_), band_columns_, 1, 0, whole);
    this->taps_.FillOffsets(this->offsets_.template Get<int32_t>(), 1, whole);
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) FindHits(i);
    const uint32_t count = this->tile_.count;
    uint32_t next = NextBatch();
    if (next < count) CopyIn(next);
    while (next < count) {
      const uint32_t first = next;
      SelectHits(first + kBatch);
      next = NextBatch();
      ToRows(MinRemaining(count - first, kBatch));
      if (next < count) CopyIn(next);
      AddBatch(first);
    }
  }

  // Lists the hits of neighbour i in the order of the samples. A hit is one number: that of the pixel times
  // kMostTile, plus that of the sample in the tile.
  __aicore__ inline void FindHits(uint32_t i) {
    const uint32_t from = i * this->t_.capacity, whole = this->tile_.whole;
    const auto pixels = this->offsets_.template Get<int32_t>()[from];
    const auto scratch = this->Work(0);
    AscendC::Cast(scratch, pixels, AscendC::RoundMode::CAST_NONE, whole);
    AscendC::CompareScalar(hit_bits_.template Get<uint8_t>(), scratch, 0.0f, AscendC::CMPMODE::GT, whole);
    AscendC::Muls(pixels, pixels, static_cast<int32_t>(kMostTile), whole);
    AscendC::Add(pixels, pixels, numbers_.template Get<int32_t>(), whole);
    uint64_t kept = 0;
    AscendC::GatherMask(hits_.template Get<int32_t>()[from], pixels, hit_bits_.template Get<uint32_t>(), true,
                        this->tile_.count, {1, 1, 8, 8}, kept);
    begin_[i] = end_[i] = 0;
    hit_count_[i] = static_cast<uint32_t>(kept);
  }

  __aicore__ inline uint32_t Hit(uint32_t i, uint32_t index) {
    return static_cast<uint32_t>(hits_.template Get<int32_t>().GetValue(i * this->t_.capacity + index));
  }

  // The first sample of the next batch that has a hit, or the end of the tile.
  __aicore__ inline uint32_t NextBatch() {
    uint32_t next = this->tile_.count;
    for (uint32_t i = 0; i < this->t_.taps * this->t_.taps; ++i) {
      if (end_[i] == hit_count_[i]) continue;
      const uint32_t sample = Hit(i, end_[i]) % kMostTile;
      if (sample < next) next = sample / kBatch * kBatch;
    }
    return next;
  }

  // Selects the hits of samples before `end`, at most a batch: those in [begin_, end_) of each neighbour. If
  // every sample of the batch is a hit, it looks at the last hit alone.
  __aicore__ inline void SelectHits(uint32_t end) {
    for (uint32_t i = 0; i < this->t_.taps * this->t_.taps; ++i) {
      begin_[i] = end_[i];
      const uint32_t most = end_[i] + MinRemaining(hit_count_[i] - end_[i], kBatch);
      if (most > end_[i] && Hit(i, most - 1) % kMostTile < end) end_[i] = most;
      while (end_[i] < most && Hit(i, end_[i]) % kMostTile < end) ++end_[i];
    }
  }

  // Adds the selected hits to the sums. rows_ has the gradients of the batch that begins at sample `first`.
  __aicore__ inline void AddBatch(uint32_t first) {
    const auto &t = this->t_;
    const auto weights = weights_.template Get<float>();
    auto sums = sums_.template Get<float>();
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) {
      for (uint32_t h = begin_[i]; h < end_[i]; ++h) {
        const uint32_t hit = Hit(i, h), sample = hit % kMostTile;
        const float weight = t.taps > 1 ? weights.GetValue(i * t.capacity + sample) : 1.0f;
        AscendC::Axpy(sums[hit / kMostTile * width_], rows_[(sample - first) * width_], weight,
                      static_cast<int32_t>(width_));
      }
    }
    out_queue_.FreeTensor(rows_);
  }

  // Loads the gradients of the batch that begins at sample `first`, a plane for each channel.
  __aicore__ inline void CopyIn(uint32_t first) {
    const auto &t = this->t_;
    auto planes = in_queue_.template AllocTensor<T>();
    const int64_t sample = this->TileStart() + first;
    CopyPlanesIn(planes, kPitch, grads_gm_, (image_ * t.channels + channel_) * t.outColumns + sample,
                 t.outColumns, channels_, MinRemaining(this->tile_.count - first, kBatch));
    in_queue_.EnQue(planes);
  }

  // Transposes these planes into rows_: the channels of a sample side by side, in float32. The rows take the
  // buffer that CopyOut needs later.
  __aicore__ inline void ToRows(uint32_t count) {
    auto planes = in_queue_.template DeQue<T>();
    rows_ = out_queue_.template AllocTensor<float>();
    AscendC::LocalTensor<T> rows;
    if constexpr (sizeof(T) == sizeof(float)) {
      rows = rows_;
    } else {
      rows = rounded_.template Get<T>();
    }
    RowsToSlots(rows, width_, planes, kPitch, channels_, count);
    in_queue_.FreeTensor(planes);
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(rows_, rows, AscendC::RoundMode::CAST_NONE, RoundUp(count, this->kLane) * width_);
    }
  }

  // Rounds the sums of the band and stores them, a batch of pixels at a time.
  __aicore__ inline void CopyOut() {
    const auto &t = this->t_;
    const int64_t plane = t.height * t.width, pixels = static_cast<int64_t>(band_rows_) * band_columns_;
    for (uint32_t p = 0; p < pixels; p += kBatch) {
      const uint32_t count = MinRemaining(pixels - p, kBatch);
      const auto sums = sums_.template Get<float>()[(1 + p) * width_];
      auto planes = out_queue_.template AllocTensor<T>();
      AscendC::LocalTensor<T> rounded;
      if constexpr (sizeof(T) == sizeof(float)) {
        rounded = sums;
      } else {
        rounded = rounded_.template Get<T>();
        AscendC::Cast(rounded, sums, AscendC::RoundMode::CAST_RINT, RoundUp(count, kLanes) * width_);
      }
      PixelsToPlanes(planes, kPitch, rounded, width_, width_, count);
      out_queue_.EnQue(planes);
      planes = out_queue_.template DeQue<T>();
      CopyPlanesOut(out_gm_, (image_ * t.channels + channel_) * plane + row_ * t.width + column_ + p, plane,
                    planes, kPitch, channels_, count);
      out_queue_.FreeTensor(planes);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_, rounded_, numbers_, hits_, hit_bits_, sums_;
  AscendC::GlobalTensor<T> grads_gm_, out_gm_;
  AscendC::LocalTensor<float> rows_;  // gradients of a batch, [sample][width_]
  uint32_t group_;                    // channels of a group
  uint32_t pixels_;                   // of a band, rounded up to 16
  // Of each neighbour: how many hits the tile has, and which of them are selected.
  uint32_t hit_count_[kMostTaps], begin_[kMostTaps], end_[kMostTaps];
  // The band and the group of channels that the core works on.
  int64_t image_, channel_, row_, column_;  // first channel, row and column
  uint32_t channels_, width_;               // channels, and the same rounded up to 16
  uint32_t band_rows_, band_columns_;
};

}  // namespace avo
