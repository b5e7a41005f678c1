// SPDX-License-Identifier: Apache-2.0
// Gradient of RoIAlign. All cores copy the gradients, and for the maxima also the feature maps, to the
// workspace with the channels of a pixel side by side. Then each core works on bands of the result
// (band_sums.h). It finds the regions that touch a band (roi_extents.h), locates their samples, and adds to
// each pixel of the band what these samples contribute, in their order. No other core adds to the same pixel
// and channel.
//
// Mode avg: a bin's gradient goes to its samples in equal parts, and from each sample to its four corners by
// their weights. These weights are products of one along y and one along x: gradients are spread over
// rows first, and then over columns (roi_spread.h). An infinity in a gradient gives NaN where the weight of a
// sample is 0. So where a sample lies on an element, and a sum of the band is not finite, the band is done
// again, sample by sample.
// Mode max: all of it goes to the first sample that is the maximum, and from there to its
// corners. Mode onnx_max: all of it goes to the first corner whose weighted value is the maximum.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "band_sums.h"
#include "finite_total.h"
#include "roi_align_backward_tiling.h"
#include "roi_extents.h"
#include "roi_gradients.h"
#include "roi_samples.h"
#include "roi_spread.h"

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
  }

  __aicore__ inline void Process() {
    regions_.Init(rois_, workspace_, t_, pipe_);
    regions_.WriteExtents();
    avo::ReleaseBuffers(pipe_);
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

    // Cores take bands in turns: as many regions are likely to touch a band as its neighbours.
    for (int64_t band = AscendC::GetBlockIdx(); band < band_.Count(); band += AscendC::GetBlockNum()) {
      band_.Begin(band);
      by_samples_ = kLargest;
      spread_.on_element = false;
      AddRegions();
      if (!kLargest && spread_.on_element && !Finite()) {
        band_.Begin(band);
        by_samples_ = true;
        AddRegions();
      }
      band_.Store();
    }
    regions_.Release();
  }

 private:
  static constexpr bool kLargest = KEY == 1;
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void InitBands() {
    regions_.InitTouching(pipe_);
    const avo::RoiAlignBackwardBuffers buffers(t_.located, t_.batch, t_.chunk, t_.gradBins, t_.bandRows,
                                               t_.bandColumns, t_.bandPitch, sizeof(T));
    if constexpr (kLargest) {
      samples_.Init(workspace_, t_, pipe_);
      pipe_->InitBuffer(best_, buffers.best.bytes);
      pipe_->InitBuffer(hits_, buffers.hits.bytes);
      AscendC::Duplicate(best_.template Get<float>(), 0.0f, 4 * Lanes());
    } else {
      samples_.InitPositions(t_, pipe_);
    }
    band_.Init(out_, t_, pipe_);
    if constexpr (!kLargest) spread_.Init(t_, band_.Sums(), pipe_);
    total_.Init(pipe_);
    gradients_.Init(workspace_ + t_.grads, grad_layout_, t_, pipe_);
  }

  // Channels of a chunk, rounded up to a repeat.
  __aicore__ inline uint32_t Lanes() const { return avo::RoundUp(t_.chunk, kRepeat); }

  // Adds what all regions contribute to the band.
  __aicore__ inline void AddRegions() {
    const float low[2] = {avo::ToFloat(band_.low[0]), avo::ToFloat(band_.low[1])};
    const float high[2] = {avo::ToFloat(band_.high[0]), avo::ToFloat(band_.high[1])};
    for (int64_t first = 0; first < t_.rois; first += regions_.kExtents) {
      const uint32_t touching = regions_.FindTouching(first, band_.image, low, high);
      for (uint32_t i = 0; i < touching; ++i) {
        const uint32_t number = regions_.TouchingRegion(i);
        const int64_t roi = first + number;
        region_ = regions_.Touching(number);
        if (by_samples_) {
          AddRegion(roi, low, high);
        } else {
          SpreadRegion(roi, low, high);
        }
      }
    }
  }

  // Whether all sums of the band are finite.
  __aicore__ inline bool Finite() {
    total_.Clear();
    total_.Add(band_.Sums(), band_.Elements());
    return total_.Finite();
  }

  // Loads the gradients of some bins of a region.
  __aicore__ inline void Load(int64_t roi, uint32_t bin, uint32_t count) {
    grads_ = gradients_.Load(roi, bin, count, band_.channel, band_.channels);
  }

  // Adds what one region contributes to the band, rows first and then columns. Mode avg.
  __aicore__ inline void SpreadRegion(int64_t roi, const float (&low)[2], const float (&high)[2]) {
    const avo::Range rows = regions_.BinsBetween(region_, 0, low[0], high[0]),
                     columns = regions_.BinsBetween(region_, 1, low[1], high[1]);
    for (int64_t first = columns.begin; first < columns.end; first += t_.gradBins) {
      const uint32_t bins = avo::MinRemaining(columns.end - first, t_.gradBins);
      const uint32_t bin = static_cast<uint32_t>(first);
      if (!spread_.TakeColumns(region_, bin, bin + bins, band_.low[1], band_.high[1])) continue;
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        avo::BinTaps taps(region_, 0, static_cast<uint32_t>(row), t_.height);
        bool loaded = false;
        while (taps.Next() && taps.element < band_.high[0]) {
          if (taps.element < band_.low[0]) continue;
          if (!loaded) Load(roi, static_cast<uint32_t>(row) * t_.outWidth + bin, bins);
          loaded = true;
          spread_.AddRow(static_cast<uint32_t>(taps.element - band_.low[0]), grads_, taps.weight);
        }
        spread_.on_element = spread_.on_element || taps.on_element;
        if (loaded) gradients_.Release();
      }
      spread_.AddColumns(band_.Sums(), band_.Row());
    }
  }

  // Adds what one region contributes to the band, sample by sample: rows [low[0], high[0]) and columns
  // [low[1], high[1]).
  __aicore__ inline void AddRegion(int64_t roi, const float (&low)[2], const float (&high)[2]) {
    const avo::Range rows = regions_.BinsBetween(region_, 0, low[0], high[0]),
                     columns = regions_.BinsBetween(region_, 1, low[1], high[1]);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        const uint32_t bin = static_cast<uint32_t>(row * t_.outWidth + column);
        Load(roi, bin, 1);
        if constexpr (kLargest) {
          AddLargest(bin);
        } else {
          AddMean(bin);
        }
        gradients_.Release();
      }
    }
  }

  // Adds the gradient of one bin, sample by sample. Mode avg.
  __aicore__ inline void AddMean(uint32_t bin) {
    const avo::GridInside inside = samples_.InsideOf(region_, bin);
    const float factor = 1.0f / (static_cast<float>(region_.grid[0]) * static_cast<float>(region_.grid[1]));
    for (int64_t first = 0; first < inside.Count(); first += t_.located) {
      const uint32_t located = samples_.LocateOne(region_, bin, inside, first);
      for (uint32_t s = 0; s < located; ++s) AddSample(s, grads_, factor);
    }
  }

  // Adds factor * grad to those of the corners of sample `s` that lie in the band, by their weights.
  __aicore__ inline void AddSample(uint32_t s, const AscendC::LocalTensor<float> &grad, float factor) {
    const int32_t window = samples_.rows.Windows().GetValue(s);
    for (uint32_t i = 0; window >= 0 && i < 4; ++i) AddCorner(s, window, i, grad, factor);
  }

  // Adds factor * grad to corner `i` of sample `s`, by its weight, if it lies in the band. `window` is the
  // sample's first pixel.
  __aicore__ inline void AddCorner(uint32_t s, int32_t window, uint32_t i,
                                   const AscendC::LocalTensor<float> &grad, float factor) {
    const int32_t pitch = static_cast<int32_t>(t_.width + 1);
    const int64_t y = window / pitch + i / 2, x = window % pitch + i % 2;
    if (band_.Has(y, x)) band_.Add(y, x, grad, samples_.rows.Weight(i).GetValue(s) * factor);
  }

  // Adds the gradient of one bin in the modes of a maximum. The first pass over its samples finds the maximum
  // of each channel, the second one adds the gradient where the maximum lies.
  __aicore__ inline void AddLargest(uint32_t bin) {
    const auto best = best_.template Get<float>(), left = best[Lanes()];
    const avo::GridInside inside = samples_.InsideOf(region_, bin);
    const int64_t count = inside.Count();
    // Skipped samples are 0, and the maximum starts with them.
    const bool skipped = count < static_cast<int64_t>(region_.grid[0]) * region_.grid[1];
    AscendC::Duplicate(best, skipped ? 0.0f : -__builtin_inff(), Lanes());
    AscendC::Muls(left, grads_, 1.0f, band_.channels);
    for (uint32_t pass = 0; pass < 2; ++pass) {
      for (int64_t first = 0; first < count; first += t_.located) {
        const uint32_t located = samples_.LocateOne(region_, bin, inside, first);
        for (uint32_t at = 0; at < located; at += t_.batch) {
          const avo::SampleBatches batch{1, avo::MinRemaining(located - at, t_.batch)};
          samples_.rows.CopyIn(band_.image, at, batch.grid, band_.channel, band_.channels);
          if (pass == 0) {
            const auto pairs = samples_.Combine(at, batch);
            samples_.Finish(pairs, t_.chunk, pairs, 1);
            samples_.Merge(best, pairs, t_.chunk, true);
          } else {
            AddToMaximum(at, batch.grid);
          }
          samples_.rows.Release();
        }
      }
    }
  }

  // Adds the gradient to the samples of a batch (mode max) or to their corners (onnx_max) that are the
  // maximum, in channels where none was before. The batch begins with sample `at`.
  __aicore__ inline void AddToMaximum(uint32_t at, uint32_t count) {
    const auto pairs = samples_.rows.Weighted(at);
    const uint32_t pair = 2 * t_.chunk, plane = samples_.rows.Samples() * pair;
    const int32_t pitch = static_cast<int32_t>(t_.width + 1);
    const bool corners = t_.mode == 2;
    if (!corners) samples_.Interpolate(pairs, count);
    for (uint32_t s = 0; s < count; ++s) {
      const int32_t window = samples_.rows.Windows().GetValue(at + s);
      if (window < 0) continue;
      for (uint32_t i = 0; i < (corners ? 4 : 1); ++i) {
        // Corners behind the last row or column are not in the image.
        if (window / pitch + i / 2 >= t_.height || window % pitch + i % 2 >= t_.width) continue;
        const auto grad = GradientAtMaximum(pairs[i / 2 * plane + s * pair + i % 2 * t_.chunk]);
        if (corners) {
          AddCorner(at + s, window, i, grad, 1.0f);
        } else {
          AddSample(at + s, grad, 1.0f);
        }
      }
    }
  }

  // The gradient in channels where `candidate` is the maximum, and 0 in the others. What it returns is
  // removed from `left`, so that a later candidate with the same value gets nothing. best_ has four rows of
  // channels:
  //
  //   best    maximum of the bin
  //   left    gradient that no candidate has got yet
  //   grad    gradient that this candidate gets
  //   value   the candidate, padded to whole repeats
  __aicore__ inline AscendC::LocalTensor<float> GradientAtMaximum(
      const AscendC::LocalTensor<float> &candidate) {
    const uint32_t lanes = Lanes();
    const auto best = best_.template Get<float>(), left = best[lanes], grad = left[lanes],
               value = grad[lanes];
    auto hits = hits_.template Get<uint8_t>();
    const auto bits = hits.template ReinterpretCast<uint16_t>();
    AscendC::Muls(value, candidate, 1.0f, t_.chunk);
    AscendC::Compare(hits, value, best, AscendC::CMPMODE::EQ, lanes);
    AscendC::Select(grad, hits, left, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes);
    AscendC::Not(bits, bits, lanes / 16);
    AscendC::Select(left, hits, left, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes);
    return grad;
  }

  RoiAlignBackwardTiling t_;
  AscendC::TPipe *pipe_;
  GM_ADDR grad_output_;
  GM_ADDR rois_;
  GM_ADDR input_;
  GM_ADDR out_;
  GM_ADDR workspace_;
  avo::ChannelsLast grad_layout_;
  avo::RoiExtents<T> regions_;
  avo::RoiSamples<T> samples_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> best_, hits_;
  avo::BandSums<T> band_;
  avo::RoiGradients<T> gradients_;
  avo::RoiSpread spread_;
  avo::FiniteTotal total_;
  bool by_samples_;  // whether the band adds sample by sample
  AscendC::LocalTensor<float> grads_;
  avo::Region region_;  // the region that is added
};
