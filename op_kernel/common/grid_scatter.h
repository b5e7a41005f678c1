// SPDX-License-Identifier: Apache-2.0
// The gradient of the images that a grid sampled. A core owns a band of pixels and a group of channels, whose
// sums lie in UB, the channels of a pixel together. It goes through all samples in their order, takes those
// with a neighbour in the band, and adds each to its pixel with one vector instruction. So no sum is shared,
// and its order is fixed.
#pragma once

#include "channels_last.h"
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
    pipe->InitBuffer(in_queue_, 1, group_ * kPitch * sizeof(T));
    pipe->InitBuffer(out_queue_, 1, group_ * kPitch * sizeof(T));
    pipe->InitBuffer(weights_, t.taps * t.taps * t.capacity * sizeof(float));
    pipe->InitBuffer(rows_, kBatch * group_ * sizeof(float));
    pipe->InitBuffer(weighted_, kBatch * group_ * sizeof(float));
    pipe->InitBuffer(spread_, kBatch * kBlockBytes);
    pipe->InitBuffer(places_, kBatch * sizeof(int32_t));
    pipe->InitBuffer(hits_, 2 * kBatch * sizeof(int32_t));
    pipe->InitBuffer(hit_bits_, kBlockBytes);
    pixels_ = RoundUp(static_cast<uint32_t>(t.bandRows * t.bandColumns), kLanes);
    pipe->InitBuffer(sums_, (1 + pixels_) * group_ * sizeof(float));
    AscendC::CreateVecIndex(places_.template Get<int32_t>(), int32_t(0), kBatch);
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
      channels_ = Rest(t.channels - channel_, group_);
      width_ = RoundUp(channels_, kLanes);
      row_ = band / column_bands * t.bandRows;
      column_ = band % column_bands * t.bandColumns;
      band_rows_ = Rest(t.height - row_, static_cast<uint32_t>(t.bandRows));
      band_columns_ = Rest(t.width - column_, static_cast<uint32_t>(t.bandColumns));
      AscendC::Duplicate(sums_.template Get<float>(), 0.0f, (1 + pixels_) * width_);
      for (int64_t tile = 0; tile < t.columnTiles; ++tile) AddTile(image_ * t.columnTiles + tile);
      CopyOut();
    }
  }

 private:
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
    for (uint32_t first = 0; first < this->tile_.count; first += kBatch) AddBatch(first);
  }

  // Samples [first, first + kBatch) of the tile, as far as there are any.
  __aicore__ inline void AddBatch(uint32_t first) {
    const auto &t = this->t_;
    const uint32_t count = Rest(this->tile_.count - first, kBatch);
    bool loaded = false;
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) {
      const uint32_t hits = FindHits(this->offsets_.template Get<int32_t>()[i * t.capacity + first], count);
      if (hits == 0) continue;
      if (!loaded) LoadGrads(this->TileStart() + first, count);
      loaded = true;
      auto rows = rows_.template Get<float>();
      if (t.taps > 1) rows = Weigh(weights_.template Get<float>()[i * t.capacity + first], count);
      const auto pixels = hits_.template Get<int32_t>(), samples = pixels[kBatch];
      auto sums = sums_.template Get<float>();
      for (uint32_t h = 0; h < hits; ++h) {
        const auto sum = sums[static_cast<uint32_t>(pixels.GetValue(h)) * width_];
        AscendC::Add(sum, sum, rows[static_cast<uint32_t>(samples.GetValue(h)) * width_],
                     static_cast<int32_t>(width_));
      }
    }
  }

  // Packs the pixels that are one, and the samples they belong to.
  __aicore__ inline uint32_t FindHits(const AscendC::LocalTensor<int32_t> &pixels, uint32_t count) {
    const auto bits = hit_bits_.template Get<uint32_t>();
    const auto hits = hits_.template Get<int32_t>();
    const auto scratch = spread_.template Get<float>();
    AscendC::Cast(scratch, pixels, AscendC::RoundMode::CAST_NONE, kBatch);
    AscendC::CompareScalar(hit_bits_.template Get<uint8_t>(), scratch, 0.0f, AscendC::CMPMODE::GT, kBatch);
    uint64_t kept = 0;
    const AscendC::GatherMaskParams params{1, 1, 8, 8};
    AscendC::GatherMask(hits, pixels, bits, true, count, params, kept);
    AscendC::GatherMask(hits[kBatch], places_.template Get<int32_t>(), bits, true, count, params, kept);
    return static_cast<uint32_t>(kept);
  }

  // Gradients of `count` samples from `sample` on: rows of channels in float32.
  __aicore__ inline void LoadGrads(int64_t sample, uint32_t count) {
    const auto &t = this->t_;
    auto planes = in_queue_.template AllocTensor<T>();
    CopyPlanesIn(planes, kPitch, grads_gm_, (image_ * t.channels + channel_) * t.outColumns + sample,
                 t.outColumns, channels_, count);
    in_queue_.EnQue(planes);
    planes = in_queue_.template DeQue<T>();
    AscendC::LocalTensor<T> rows;
    if constexpr (sizeof(T) == sizeof(float)) {
      rows = rows_.template Get<float>();
    } else {
      rows = weighted_.template Get<T>();
    }
    for (uint32_t lane = 0; lane < channels_; lane += kLanes) {
      RowsToSlots(rows[lane], width_, planes[lane * kPitch], kPitch, Rest(channels_ - lane, kLanes), count);
    }
    in_queue_.FreeTensor(planes);
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(rows_.template Get<float>(), rows, AscendC::RoundMode::CAST_NONE,
                    RoundUp(count, this->kLane) * width_);
    }
  }

  __aicore__ inline AscendC::LocalTensor<float> Weigh(const AscendC::LocalTensor<float> &weights,
                                                      uint32_t count) {
    constexpr uint32_t kRepeat = 64, kBlock = kBlockBytes / sizeof(float);
    const auto spread = spread_.template Get<float>();
    const auto rows = rows_.template Get<float>(), weighted = weighted_.template Get<float>();
    AscendC::Brcb(spread, weights, static_cast<uint8_t>(kBatch / kBlock), {1, kBlock});
    const uint8_t step = static_cast<uint8_t>(width_ / kBlock);
    for (uint32_t c = 0; c < width_; c += kRepeat) {
      const uint64_t mask = width_ - c < kRepeat ? width_ - c : kRepeat;
      AscendC::Mul(weighted[c], rows[c], spread, mask, static_cast<uint8_t>(count), {1, 1, 0, step, step, 1});
    }
    return weighted;
  }

  __aicore__ inline void CopyOut() {
    const auto &t = this->t_;
    const int64_t plane = t.height * t.width, pixels = static_cast<int64_t>(band_rows_) * band_columns_;
    for (uint32_t p = 0; p < pixels; p += kBatch) {
      const uint32_t count = Rest(pixels - p, kBatch);
      const auto sums = sums_.template Get<float>()[(1 + p) * width_];
      auto planes = out_queue_.template AllocTensor<T>();
      AscendC::LocalTensor<T> rounded;
      if constexpr (sizeof(T) == sizeof(float)) {
        rounded = sums;
      } else {
        rounded = weighted_.template Get<T>();
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
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_, rows_, weighted_, spread_, places_, hits_, hit_bits_,
      sums_;
  AscendC::GlobalTensor<T> grads_gm_, out_gm_;
  uint32_t group_, pixels_;
  // The band and the channels in hand.
  int64_t image_, channel_, row_, column_;
  uint32_t channels_, width_, band_rows_, band_columns_;
};

}  // namespace avo
