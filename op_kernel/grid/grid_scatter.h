// SPDX-License-Identifier: Apache-2.0
// The gradient of the images that a grid sampled. A core owns a band of pixels and a group of channels, whose
// sums lie in UB, the channels of a pixel together. It goes through all samples in their order, takes those
// with a neighbour in the band, and adds each, weighed, to its pixel with one vector instruction. So no sum
// is shared, and its order is fixed. Gradients of the next samples are on their way meanwhile.
#pragma once

#include "../common/copies/channels_last.h"
#include "grid_boxes.h"

namespace avo {

template <typename T, typename Tiling>
class GridScatter : GridTiles<T, false, Tiling> {
 public:
  static constexpr uint32_t kBatch = 64;  // samples whose gradients are in UB at once: a repeat

  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR grid, GM_ADDR grad_input, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    const auto &t = this->t_;
    grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_output),
                              t.images * t.channels * t.outColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_input),
                            t.images * t.channels * t.height * t.width);
    group_ = t.groupChannels;
    pipe->InitBuffer(in_queue_, 2, group_ * kPitch * sizeof(T));
    const uint32_t row = kBatch * sizeof(float), plane = kPitch * sizeof(T);
    pipe->InitBuffer(out_queue_, 1, group_ * (row > plane ? row : plane));
    pipe->InitBuffer(weights_, t.taps * t.taps * t.capacity * sizeof(float));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(rounded_, kBatch * group_ * sizeof(T));
    pipe->InitBuffer(places_, t.capacity * sizeof(int32_t));
    pipe->InitBuffer(hits_, t.taps * t.taps * t.capacity * sizeof(int32_t));
    pipe->InitBuffer(hit_bits_, RoundUp(t.capacity / 8, kBlockBytes));
    pixels_ = RoundUp(static_cast<uint32_t>(t.bandRows * t.bandColumns), kLanes);
    pipe->InitBuffer(sums_, (1 + pixels_) * group_ * sizeof(float));
    AscendC::CreateVecIndex(places_.template Get<int32_t>(), int32_t(0), t.capacity);
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
  static constexpr uint32_t kMostTile = 1024;  // samples, more than there are
  static constexpr uint32_t kMostTaps = 16;
  // Elements between rows of a batch: an odd number of blocks, so that transposed rows lie in 16 bank groups.
  static constexpr uint32_t kPitch = kBatch + kBlockBytes / sizeof(T);

  __aicore__ inline bool Meets(uint32_t axis, int64_t begin, uint32_t size) {
    int32_t first = 0, last = 0;
    this->taps_.Extent(axis, this->tile_.count, this->tile_.whole, first, last);
    return last >= begin && first < begin + size;
  }

  __aicore__ inline void AddTile(int64_t tile) {
    const auto &t = this->t_;
    this->SetTile(tile);
    this->LoadGrid();
    this->Locate(kAxisY);
    if (!Meets(kAxisY, row_, band_rows_)) return;
    this->Locate(kAxisX);
    if (band_columns_ < t.width && !Meets(kAxisX, column_, band_columns_)) return;
    const uint32_t whole = this->tile_.whole;
    if (t.taps > 1) this->taps_.Weights(weights_.template Get<float>(), whole);
    // A pixel's number in the band; 0, before the first of them, is none.
    this->taps_.Relate(kAxisY, static_cast<int32_t>(row_), band_rows_, band_columns_, 1, whole);
    this->taps_.Relate(kAxisX, static_cast<int32_t>(column_), band_columns_, 1, 0, whole);
    this->taps_.Offsets(this->offsets_.template Get<int32_t>(), 1, whole);
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) FindHits(i);
    const uint32_t count = this->tile_.count;
    uint32_t next = NextBatch();
    if (next < count) CopyIn(next);
    while (next < count) {
      const uint32_t first = next;
      TakeHits(first + kBatch);
      next = NextBatch();
      ToRows(MinRemaining(count - first, kBatch));
      if (next < count) CopyIn(next);
      AddBatch(first);
    }
  }

  // Hits of tap i: pixel times kMostTile plus sample, for those samples of the tile whose pixel is one.
  __aicore__ inline void FindHits(uint32_t i) {
    const uint32_t from = i * this->t_.capacity, whole = this->tile_.whole;
    const auto pixels = this->offsets_.template Get<int32_t>()[from];
    const auto scratch = this->Work(0);
    AscendC::Cast(scratch, pixels, AscendC::RoundMode::CAST_NONE, whole);
    AscendC::CompareScalar(hit_bits_.template Get<uint8_t>(), scratch, 0.0f, AscendC::CMPMODE::GT, whole);
    AscendC::Muls(pixels, pixels, static_cast<int32_t>(kMostTile), whole);
    AscendC::Add(pixels, pixels, places_.template Get<int32_t>(), whole);
    uint64_t kept = 0;
    AscendC::GatherMask(hits_.template Get<int32_t>()[from], pixels, hit_bits_.template Get<uint32_t>(), true,
                        this->tile_.count, {1, 1, 8, 8}, kept);
    begin_[i] = end_[i] = 0;
    hit_count_[i] = static_cast<uint32_t>(kept);
  }

  __aicore__ inline uint32_t Hit(uint32_t i, uint32_t index) {
    return static_cast<uint32_t>(hits_.template Get<int32_t>().GetValue(i * this->t_.capacity + index));
  }

  // The first sample of the batch with the next hit that is not taken, or the end of the tile.
  __aicore__ inline uint32_t NextBatch() {
    uint32_t next = this->tile_.count;
    for (uint32_t i = 0; i < this->t_.taps * this->t_.taps; ++i) {
      if (end_[i] == hit_count_[i]) continue;
      const uint32_t sample = Hit(i, end_[i]) % kMostTile;
      if (sample < next) next = sample / kBatch * kBatch;
    }
    return next;
  }

  // Takes the hits of samples below `end`, of a batch; at best all of them at once.
  __aicore__ inline void TakeHits(uint32_t end) {
    for (uint32_t i = 0; i < this->t_.taps * this->t_.taps; ++i) {
      begin_[i] = end_[i];
      const uint32_t most = end_[i] + MinRemaining(hit_count_[i] - end_[i], kBatch);
      if (most > end_[i] && Hit(i, most - 1) % kMostTile < end) end_[i] = most;
      while (end_[i] < most && Hit(i, end_[i]) % kMostTile < end) ++end_[i];
    }
  }

  // Adds the hits that were taken, of samples from `first` on, whose rows are there.
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

  // Planes of the gradients of a batch's samples.
  __aicore__ inline void CopyIn(uint32_t first) {
    const auto &t = this->t_;
    auto planes = in_queue_.template AllocTensor<T>();
    const int64_t sample = this->TileStart() + first;
    CopyPlanesIn(planes, kPitch, grads_gm_, (image_ * t.channels + channel_) * t.outColumns + sample,
                 t.outColumns, channels_, MinRemaining(this->tile_.count - first, kBatch));
    in_queue_.EnQue(planes);
  }

  // As rows of channels, in float32, where later the band's planes go.
  __aicore__ inline void ToRows(uint32_t count) {
    auto planes = in_queue_.template DeQue<T>();
    rows_ = out_queue_.template AllocTensor<float>();
    AscendC::LocalTensor<T> rows;
    if constexpr (sizeof(T) == sizeof(float)) {
      rows = rows_;
    } else {
      rows = rounded_.template Get<T>();
    }
    for (uint32_t lane = 0; lane < channels_; lane += kLanes) {
      RowsToSlots(rows[lane], width_, planes[lane * kPitch], kPitch, MinRemaining(channels_ - lane, kLanes),
                  count);
    }
    in_queue_.FreeTensor(planes);
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(rows_, rows, AscendC::RoundMode::CAST_NONE, RoundUp(count, this->kLane) * width_);
    }
  }

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
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_, rounded_, places_, hits_, hit_bits_, sums_;
  AscendC::GlobalTensor<T> grads_gm_, out_gm_;
  AscendC::LocalTensor<float> rows_;
  uint32_t group_, pixels_;
  uint32_t hit_count_[kMostTaps], begin_[kMostTaps], end_[kMostTaps];  // of each tap: all hits, those taken
  // The band and the channels in hand.
  int64_t image_, channel_, row_, column_;
  uint32_t channels_, width_, band_rows_, band_columns_;
};

}  // namespace avo
