// SPDX-License-Identifier: Apache-2.0
// RoIAlign. All cores copy the feature maps to the workspace with the channels of a pixel side by side
// (common/copies/channels_last.h). Then each core pools runs of bins (roi_runs.h), a chunk of channels at a
// time. It pools several bins together if all their samples fit a batch; a bin with more samples is pooled
// alone, batch by batch.
//
// Budget: 1000 lines of code, because it pools bins in two ways, and deals them to cores in two.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "roi_align_tiling.h"
#include "roi_runs.h"
#include "roi_samples.h"
#include "roi_sums.h"

template <typename T, uint32_t KEY>
class RoiAlign {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR rois, GM_ADDR batch_indices, GM_ADDR out,
                              GM_ADDR workspace, const RoiAlignTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    pipe_ = pipe;
    workspace_ = workspace;
    input_ = input;
    rois_ = rois;
    batch_indices_ = batch_indices;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out),
                            t_.rois * t_.channels * t_.outHeight * t_.outWidth);
  }

  __aicore__ inline void Process() {
    avo::ToChannelsLast<T> to_channels_last;
    to_channels_last.Init(input_, workspace_, t_, pipe_);
    regions_.Init(rois_, batch_indices_, workspace_, t_, pipe_);
    // The regions come first: they are few, and their costs are written while the first tile is loaded.
    regions_.Prefetch();
    to_channels_last.Prefetch();
    regions_.Deal(t_, pipe_, kSums);
    to_channels_last.Process(pipe_);
    regions_.Init(rois_, batch_indices_, workspace_, t_, pipe_);
    if constexpr (kSums) {
      // The order keeps means, sums and loaded pixels in different banks as far as possible.
      InitStore(t_.sumRows * t_.outWidth, t_.sumChunk, t_.sumBin, t_.sumPitch);
      sums_.Init(workspace_, t_, pipe_);
    }
    regions_.TakeOwn(kSums);
    if constexpr (kSums) {
      for (int64_t i = 0; i < regions_.Runs(); ++i) SumRegion(i);
      if (sums_.Finite()) return;
      avo::ReleaseBuffers(pipe_);
      regions_.Init(rois_, batch_indices_, workspace_, t_, pipe_);
    }
    InitPooling();
    for (int64_t i = 0; i < regions_.Runs(); ++i) {
      const avo::BinRun run = regions_.Run(i);
      if (run.first >= run.last) continue;
      region_ = regions_.RegionOf(i);
      PoolRegion(run.roi, run.first, run.last);
    }
  }

 private:
  static constexpr bool kSums = KEY == 1;

  __aicore__ inline void InitPooling() {
    samples_.Init(workspace_, t_, pipe_);
    const avo::RoiAlignBuffers buffers(AscendC::GetBlockNum(), t_.located, t_.batch, t_.chunk, t_.outBins,
                                       t_.outPitch, sizeof(T));
    pipe_->InitBuffer(pixels_, buffers.pixels.bytes);
    InitStore(t_.outBins, t_.chunk, t_.chunk, t_.outPitch);
    AscendC::Duplicate(pixels_.template Get<float>(), 0.0f, avo::RoundUp(t_.outBins, avo::kLanes) * t_.chunk);
  }

  // Prepares to store up to `bins` bins, which lie `width` elements apart. The channels of their results lie
  // `pitch` elements apart.
  __aicore__ inline void InitStore(uint32_t bins, uint32_t chunk, uint32_t width, uint32_t pitch) {
    const avo::RoiStoreBuffers buffers(bins, chunk, pitch, sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) pipe_->InitBuffer(rounded_, buffers.rounded.bytes);
    pipe_->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    chunk_ = chunk;
    lanes_ = static_cast<uint32_t>(avo::RoiStoreBuffers::Lanes(bins, chunk));
    width_ = width;
    pitch_ = pitch;
  }

  // Pools run `i` of this core by adding up rows and columns.
  __aicore__ inline void SumRegion(int64_t i) {
    const avo::BinRun run = regions_.Run(i);
    const uint32_t first = run.first, last = run.last;
    if (first >= last) return;
    region_ = regions_.RegionOf(i);
    const uint32_t end = (last + t_.outWidth - 1) / t_.outWidth;
    for (channel_ = 0; channel_ < t_.pixel; channel_ += chunk_) {
      channels_ = avo::MinRemaining(t_.pixel - channel_, chunk_);
      for (uint32_t row = first / t_.outWidth; row < end; row += t_.sumRows) {
        const uint32_t rows = avo::MinRemaining(end - row, t_.sumRows), bin = row * t_.outWidth;
        sums_.Pool(region_, row, row + rows, channel_, channels_);
        const uint32_t from = first > bin ? first : bin;
        Store(run.roi, from, avo::MinRemaining(last - from, bin + rows * t_.outWidth - from),
              sums_.Means(from - bin));
      }
    }
  }

  // Pools bins [first, last) of region `roi`, which is `region_`, one chunk of channels after the other.
  __aicore__ inline void PoolRegion(int64_t roi, uint32_t first, uint32_t last) {
    for (uint32_t channel = 0; channel < t_.pixel; channel += t_.chunk) {
      channel_ = channel;
      channels_ = t_.pixel - channel < t_.chunk ? t_.pixel - channel : t_.chunk;
      if (!region_.has_samples) {
        AscendC::Duplicate(pixels_.template Get<float>(), 0.0f, t_.outBins * t_.chunk);
        for (uint32_t bin = first; bin < last; bin += t_.outBins) {
          StorePixels(roi, bin, avo::MinRemaining(last - bin, t_.outBins));
        }
      } else if (static_cast<int64_t>(region_.grid[0]) * region_.grid[1] <= t_.batch) {
        PoolTogether(roi, first, last);
      } else {
        for (uint32_t bin = first; bin < last; bin += t_.outBins) {
          const uint32_t count = avo::MinRemaining(last - bin, t_.outBins);
          for (uint32_t b = 0; b < count; ++b) {
            PoolAlone(bin + b, pixels_.template Get<float>()[b * t_.chunk]);
          }
          StorePixels(roi, bin, count);
        }
      }
    }
  }

  // Pools bins [first, last) in batches of several bins with all of their samples. Positions are located for
  // several batches at once, and bins are stored when outBins of them are there.
  __aicore__ inline void PoolTogether(int64_t roi, uint32_t first, uint32_t last) {
    const uint32_t grid = region_.grid[0] * region_.grid[1];
    const avo::SampleBatches batches{
        avo::MinRemaining(avo::MinRemaining(t_.batch / grid, t_.outBins), last - first), grid};
    const uint32_t batch_bins = batches.bins, stride = batches.Stride();
    const uint32_t located = t_.located / stride * batch_bins, written = t_.outBins / batch_bins * batch_bins;
    uint32_t located_from = first, located_to = first;
    for (uint32_t tile = first; tile < last; tile += written) {
      const uint32_t end = tile + avo::MinRemaining(last - tile, written);
      for (uint32_t bin = tile; bin < end; bin += batch_bins) {
        if (bin >= located_to) {
          located_from = bin;
          located_to = bin + avo::MinRemaining(last - bin, located);
          samples_.Locate(region_, bin, located_to - bin, batches, {0, 0, 0, region_.grid[1]});
        }
        const uint32_t at = (bin - located_from) / batch_bins * stride;
        samples_.rows.CopyIn(region_.image, at, batches.Count(), channel_, channels_, batch_bins,
                             avo::MinRemaining(last - bin, batch_bins));
        const auto pairs = samples_.Combine(at, batches);
        samples_.Finish(pixels_.template Get<float>()[(bin - tile) * t_.chunk], t_.chunk, pairs,
                        avo::MinRemaining(end - bin, batch_bins));
        samples_.rows.Release();
      }
      StorePixels(roi, tile, end - tile);
    }
  }

  // Pools one bin with more samples than a batch has into `pixel`. Samples far outside the image are skipped.
  __aicore__ inline void PoolAlone(uint32_t bin, const AscendC::LocalTensor<float> &pixel) {
    const avo::GridInside inside = samples_.InsideOf(region_, bin);
    const int64_t count = inside.Count();
    // Skipped samples are 0, and a maximum starts with them.
    const bool skipped = count < static_cast<int64_t>(region_.grid[0]) * region_.grid[1];
    AscendC::Duplicate(pixel, t_.mode == 0 || skipped ? 0.0f : -__builtin_inff(), t_.chunk);
    for (int64_t first = 0; first < count; first += t_.located) {
      const uint32_t located = samples_.LocateOne(region_, bin, inside, first);
      for (uint32_t at = 0; at < located; at += t_.batch) {
        const avo::SampleBatches batch{1, avo::MinRemaining(located - at, t_.batch)};
        samples_.rows.CopyIn(region_.image, at, batch.grid, channel_, channels_);
        const auto pairs = samples_.Combine(at, batch);
        samples_.Finish(pairs, t_.chunk, pairs, 1);
        samples_.Merge(pixel, pairs, t_.chunk, t_.mode != 0);
        samples_.rows.Release();
      }
    }
  }

  // Stores bins [bin, bin + count) of a region, which lie in `pixels_`.
  __aicore__ inline void StorePixels(int64_t roi, uint32_t bin, uint32_t count) {
    auto pixels = pixels_.template Get<float>();
    if (t_.mode == 0 && region_.has_samples) {
      const float samples = static_cast<float>(region_.grid[0]) * static_cast<float>(region_.grid[1]);
      AscendC::Muls(pixels, pixels, 1.0f / samples, count * t_.chunk);
    }
    Store(roi, bin, count, pixels);
  }

  // Stores bins [bin, bin + count) of a region, which are `pixels`, some channels at a time.
  __aicore__ inline void Store(int64_t roi, uint32_t bin, uint32_t count,
                               const AscendC::LocalTensor<float> &pixels) {
    const uint32_t present = avo::MinRemaining(t_.channels - channel_, chunk_);
    const int64_t bins = regions_.Bins();
    for (uint32_t lane = 0; lane < present; lane += lanes_) {
      auto planes = out_queue_.template AllocTensor<T>();
      ToPlanes(planes, pixels[lane], avo::MinRemaining(channels_ - lane, lanes_), count);
      out_queue_.EnQue(planes);
      planes = out_queue_.template DeQue<T>();
      avo::CopyRowsOut(out_gm_, (roi * t_.channels + channel_ + lane) * bins + bin, bins, planes, pitch_,
                       avo::MinRemaining(present - lane, lanes_), count);
      out_queue_.FreeTensor(planes);
    }
  }

  // Rounds some lanes of `count` pixels and transposes them.
  __aicore__ inline void ToPlanes(const AscendC::LocalTensor<T> &planes,
                                  const AscendC::LocalTensor<float> &pixels, uint32_t lanes, uint32_t count) {
    if constexpr (sizeof(T) == sizeof(float)) {
      avo::PixelsToPlanes(planes, pitch_, pixels, width_, lanes, count);
    } else {
      constexpr uint32_t kMaxRepeats = 255, kRepeat = 64, kBlock = avo::kBlockBytes / sizeof(float);
      auto rounded = rounded_.template Get<T>();
      const uint32_t slots = avo::RoundUp(count, avo::kLanes);
      const AscendC::UnaryRepeatParams strides(1, 1, static_cast<uint8_t>(lanes / avo::kLanes),
                                               static_cast<uint8_t>(width_ / kBlock));
      for (uint32_t i = 0; i < slots; i += kMaxRepeats) {
        const auto repeats = static_cast<uint8_t>(avo::MinRemaining(slots - i, kMaxRepeats));
        for (uint32_t lane = 0; lane < lanes; lane += kRepeat) {
          AscendC::Cast(rounded[i * lanes + lane], pixels[i * width_ + lane], AscendC::RoundMode::CAST_RINT,
                        uint64_t{avo::MinRemaining(lanes - lane, kRepeat)}, repeats, strides);
        }
      }
      avo::PixelsToPlanes(planes, pitch_, rounded, lanes, lanes, count);
    }
  }

  RoiAlignTiling t_;
  AscendC::TPipe *pipe_;
  GM_ADDR input_;
  GM_ADDR rois_;
  GM_ADDR batch_indices_;
  GM_ADDR workspace_;
  AscendC::GlobalTensor<T> out_gm_;
  avo::RoiRuns<T> regions_;
  avo::RoiSamples<T> samples_;
  avo::RoiSums<T> sums_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> pixels_, rounded_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  // The region that is pooled, and its chunk of channels: the first one, and how many.
  avo::Region region_;
  uint32_t channel_, channels_;
  uint32_t chunk_, lanes_, width_, pitch_;  // of the bins that are stored
};
