// SPDX-License-Identifier: Apache-2.0
// Gradient of RoIAlign. Gradients, and for maxima feature maps, are copied channels-last into the workspace.
// Then each core owns bands of the result, some rows and columns of some channels, whose sums lie in UB: it
// adds what samples of the regions that touch it hand to its pixels, in their order. No sum is shared.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "band_sums.h"
#include "roi_align_backward_tiling.h"
#include "roi_extents.h"
#include "roi_samples.h"

template <typename T, uint32_t KEY>
class RoiAlignBackward {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR rois, GM_ADDR input, GM_ADDR out,
                              GM_ADDR workspace, const RoiAlignBackwardTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    pipe_ = pipe;
    grad_output_ = grad_output;
    rois_ = rois, input_ = input, out_ = out;
    workspace_ = workspace;
    grad_layout_ = {t_.rois, t_.channels, t_.outHeight, t_.outWidth, t_.pixel, 1};
    grad_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace + t_.grads),
                             t_.rois * grad_layout_.ImagePixels() * t_.pixel);
  }

  __aicore__ inline void Process() {
    regions_.Init(rois_, workspace_, t_, pipe_);
    regions_.State();
    pipe_->Reset();
    avo::ToChannelsLast<T> to_channels_last;
    if constexpr (kLargest) {
      to_channels_last.Init(input_, workspace_, t_, pipe_);
      to_channels_last.Process(pipe_);
    }
    if (t_.rois > 0) {
      to_channels_last.Init(grad_output_, workspace_ + t_.grads, grad_layout_,
                            {t_.gradTileChannels, t_.gradTileRows, t_.gradTileColumns, t_.gradTilePitch},
                            pipe_);
      to_channels_last.Process(pipe_);
    }
    InitBands();

    // In turns, as neighbours are likely to be as crowded.
    for (int64_t band = AscendC::GetBlockIdx(); band < band_.Count(); band += AscendC::GetBlockNum()) {
      band_.Begin(band);
      AddRegions();
      band_.Store();
    }
  }

 private:
  static constexpr bool kLargest = KEY == 1;
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void InitBands() {
    regions_.Init(rois_, workspace_, t_, pipe_);
    const uint32_t lanes = avo::RoundUp(t_.chunk, kRepeat);
    if constexpr (kLargest) {
      samples_.Init(workspace_, t_, pipe_);
      pipe_->InitBuffer(best_, 4 * lanes * sizeof(float));
      pipe_->InitBuffer(hits_, avo::RoundUp(lanes / 8, avo::kBlockBytes));
      AscendC::Duplicate(best_.template Get<float>(), 0.0f, 4 * lanes);
    } else {
      samples_.InitPositions(t_, pipe_);
    }
    band_.Init(out_, t_, pipe_);
    pipe_->InitBuffer(grad_queue_, 2, t_.gradBins * t_.chunk * sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) {
      pipe_->InitBuffer(wide_, t_.gradBins * t_.chunk * sizeof(float));
    }
  }

  // What the regions hand to the band in hand.
  __aicore__ inline void AddRegions() {
    const float low[2] = {avo::ToFloat(band_.low[0]), avo::ToFloat(band_.low[1])};
    const float high[2] = {avo::ToFloat(band_.high[0]), avo::ToFloat(band_.high[1])};
    for (int64_t first = 0; first < t_.rois; first += regions_.kExtents) {
      const uint32_t touching = regions_.Touching(first, band_.image, low, high);
      for (uint32_t i = 0; i < touching; ++i) AddRegion(first + regions_.Touched(i), low, high);
    }
  }

  __aicore__ inline void AddRegion(int64_t roi, const float (&low)[2], const float (&high)[2]) {
    region_ = regions_.At(roi);
    const avo::Share rows = regions_.BinsBetween(region_, 0, low[0], high[0]);
    const uint32_t end = static_cast<uint32_t>(rows.end) * t_.outWidth;
    const int64_t grid = static_cast<int64_t>(region_.grid[0]) * region_.grid[1];
    share_ = 1.0f / (static_cast<float>(region_.grid[0]) * static_cast<float>(region_.grid[1]));
    uint32_t together = 1;
    if (!kLargest && grid <= t_.located) together = avo::MinRemaining(t_.located / grid, t_.gradBins);
    // Whole rows of bins, whose samples are numbered alike.
    if (together > t_.outWidth) together -= together % t_.outWidth;
    for (uint32_t bin = static_cast<uint32_t>(rows.begin) * t_.outWidth; bin < end; bin += together) {
      const uint32_t count = avo::MinRemaining(end - bin, together);
      if (count == 1) {
        const avo::Share columns = regions_.BinsBetween(region_, 1, low[1], high[1]);
        if (bin % t_.outWidth < columns.begin || bin % t_.outWidth >= columns.end) continue;
      }
      LoadGrads(roi, bin, count);
      if constexpr (kLargest) {
        AddLargest(bin);
      } else if (together > 1 || grid <= t_.located) {
        samples_.Locate(region_, bin, count, {together, static_cast<uint32_t>(grid)},
                        {0, 0, 0, region_.grid[1]});
        for (uint32_t j = 0; j < grid; ++j) {
          for (uint32_t b = 0; b < count; ++b) AddSample(j * together + b, grads_[b * t_.chunk], share_);
        }
      } else {
        AddMean(bin);
      }
      if constexpr (sizeof(T) == sizeof(float)) grad_queue_.FreeTensor(grads_);
    }
  }

  // Gradients of consecutive bins, as float32.
  __aicore__ inline void LoadGrads(int64_t roi, uint32_t bin, uint32_t count) {
    auto copied = grad_queue_.template AllocTensor<T>();
    const int64_t from = (grad_layout_.Pixel(roi, 0, 0) + bin) * t_.pixel + band_.channel;
    avo::CopyRowsIn(copied, t_.chunk, grad_gm_, from, t_.pixel, count, band_.channels);
    grad_queue_.EnQue(copied);
    copied = grad_queue_.template DeQue<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      grads_ = copied;
    } else {
      grads_ = wide_.template Get<float>();
      for (uint32_t b = 0; b < count; ++b) {
        AscendC::Cast(grads_[b * t_.chunk], copied[b * t_.chunk], AscendC::RoundMode::CAST_NONE,
                      band_.channels);
      }
      grad_queue_.FreeTensor(copied);
    }
  }

  // One bin of many samples.
  __aicore__ inline void AddMean(uint32_t bin) {
    const avo::Share y = samples_.Inside(region_, 0, bin / t_.outWidth, t_.height);
    const avo::Share x = samples_.Inside(region_, 1, bin % t_.outWidth, t_.width);
    const int64_t columns = x.end - x.begin, count = (y.end - y.begin) * columns;
    for (int64_t first = 0; first < count; first += t_.located) {
      const uint32_t located = avo::MinRemaining(count - first, t_.located);
      samples_.Locate(region_, bin, 1, {1, located},
                      {first, static_cast<int32_t>(y.begin), static_cast<int32_t>(x.begin),
                       static_cast<int32_t>(columns)});
      for (uint32_t s = 0; s < located; ++s) AddSample(s, grads_, share_);
    }
  }

  // Adds factor x grad to those of a sample's corners that lie in the band, by their weights.
  __aicore__ inline void AddSample(uint32_t s, const AscendC::LocalTensor<float> &grad, float factor) {
    const int32_t window = samples_.rows.Windows().GetValue(s);
    for (uint32_t i = 0; window >= 0 && i < 4; ++i) AddCorner(s, window, i, grad, factor);
  }

  __aicore__ inline void AddCorner(uint32_t s, int32_t window, uint32_t i,
                                   const AscendC::LocalTensor<float> &grad, float factor) {
    const int32_t pitch = static_cast<int32_t>(t_.width + 1);
    const int64_t y = window / pitch + i / 2, x = window % pitch + i % 2;
    if (band_.Has(y, x)) band_.Add(y, x, grad, samples_.rows.Weight(i).GetValue(s) * factor);
  }

  // One bin of a maximum: what it is, then who is it.
  __aicore__ inline void AddLargest(uint32_t bin) {
    const uint32_t lanes = avo::RoundUp(t_.chunk, kRepeat);
    const auto best = best_.template Get<float>(), left = best[lanes];
    const avo::Share y = samples_.Inside(region_, 0, bin / t_.outWidth, t_.height);
    const avo::Share x = samples_.Inside(region_, 1, bin % t_.outWidth, t_.width);
    const int64_t columns = x.end - x.begin, count = (y.end - y.begin) * columns;
    const bool others = count < static_cast<int64_t>(region_.grid[0]) * region_.grid[1];
    AscendC::Duplicate(best, others ? 0.0f : -__builtin_inff(), lanes);
    AscendC::Muls(left, grads_, 1.0f, band_.channels);
    for (uint32_t pass = 0; pass < 2; ++pass) {
      for (int64_t first = 0; first < count; first += t_.located) {
        const uint32_t located = avo::MinRemaining(count - first, t_.located);
        samples_.Locate(region_, bin, 1, {1, located},
                        {first, static_cast<int32_t>(y.begin), static_cast<int32_t>(x.begin),
                         static_cast<int32_t>(columns)});
        for (uint32_t at = 0; at < located; at += t_.batch) {
          const avo::SampleBatches batch{1, avo::MinRemaining(located - at, t_.batch)};
          samples_.rows.CopyIn(band_.image, at, batch.grid, band_.channel, band_.channels);
          if (pass == 0) {
            const auto pairs = samples_.Combine(at, batch);
            samples_.Finish(pairs, t_.chunk, pairs, 1);
            samples_.Merge(best, pairs, t_.chunk, true);
          } else {
            HandOut(at, batch.grid);
          }
          samples_.rows.Release();
        }
      }
    }
  }

  // Gives what is left of the gradient to those of a batch's candidates that are the maximum.
  __aicore__ inline void HandOut(uint32_t at, uint32_t count) {
    const auto pairs = samples_.rows.Weighted(at);
    const uint32_t pair = 2 * t_.chunk, plane = samples_.rows.Samples() * pair;
    const int32_t pitch = static_cast<int32_t>(t_.width + 1);
    const bool corners = t_.mode == 2;
    if (!corners) samples_.Interpolate(pairs, count);
    for (uint32_t s = 0; s < count; ++s) {
      const int32_t window = samples_.rows.Windows().GetValue(at + s);
      if (window < 0) continue;
      for (uint32_t i = 0; i < (corners ? 4 : 1); ++i) {
        // A corner beyond the last row or column is none.
        if (window / pitch + i / 2 >= t_.height || window % pitch + i % 2 >= t_.width) continue;
        const auto taken = Take(pairs[i / 2 * plane + s * pair + i % 2 * t_.chunk]);
        if (corners) {
          AddCorner(at + s, window, i, taken, 1.0f);
        } else {
          AddSample(at + s, taken, 1.0f);
        }
      }
    }
  }

  // The gradient of those channels whose candidate is the maximum, which is then not left to others.
  __aicore__ inline AscendC::LocalTensor<float> Take(const AscendC::LocalTensor<float> &candidate) {
    const uint32_t lanes = avo::RoundUp(t_.chunk, kRepeat);
    const auto best = best_.template Get<float>(), left = best[lanes], taken = left[lanes],
               value = taken[lanes];
    auto hits = hits_.template Get<uint8_t>();
    const auto bits = hits.template ReinterpretCast<uint16_t>();
    AscendC::Muls(value, candidate, 1.0f, t_.chunk);
    AscendC::Compare(hits, value, best, AscendC::CMPMODE::EQ, lanes);
    AscendC::Select(taken, hits, left, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes);
    AscendC::Not(bits, bits, lanes / 16);
    AscendC::Select(left, hits, left, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes);
    return taken;
  }

  RoiAlignBackwardTiling t_;
  AscendC::TPipe *pipe_;
  GM_ADDR grad_output_;
  GM_ADDR rois_;
  GM_ADDR input_;
  GM_ADDR out_;
  GM_ADDR workspace_;
  avo::ChannelsLast grad_layout_;
  AscendC::GlobalTensor<T> grad_gm_;
  avo::RoiExtents<T> regions_;
  avo::RoiSamples<T> samples_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, best_, hits_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grad_queue_;
  avo::BandSums<T> band_;
  AscendC::LocalTensor<float> grads_;
  avo::Region region_;  // in hand
  float share_;         // of a bin's gradient that each sample of the mean takes
};
