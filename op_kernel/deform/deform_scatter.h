// SPDX-License-Identifier: Apache-2.0
// The gradient of the input of deformable convolution. A slice is eight channels of one image, in float32, so
// that a pixel of it is one data block:
//
//   pixel 0: c0 … c7 | pixel 1: c0 … c7 | …         in the workspace
//
// Each slice belongs to one core. The core walks over all samples of the image in one order and adds their
// gradients to the corners that they were read from. So no two cores add to the same pixel, and every sum
// runs in one order. A slice has the same border as the images (channels_last.h), which takes the gradients
// of what was read from there.
#pragma once

#include "../common/copies/channels_last.h"
#include "deform_scatter_buffers.h"
#include "deform_taps.h"

namespace avo {

template <typename T>
class DeformScatter {
 public:
  // sample_grads: gradients of the samples of a step, (image, tap, position, channel), float32; slices:
  // (image, slice, pixel, channel) of a step, float32. Takes DeformScatterBuffers of the Unified Buffer.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR offset, GM_ADDR mask, GM_ADDR sample_grads, GM_ADDR slices,
                              GM_ADDR grad_input, const ImageCopy &copy, const Tiling &t,
                              AscendC::TPipe *pipe) {
    taps_ = t.kernel[0] * t.kernel[1];
    positions_ = t.outSize[0] * t.outSize[1];
    deform_groups_ = t.deformGroups;
    layout_ = LayoutOf(copy);
    span_ = t.band / 2;
    slices_ = (layout_.channels + kSliceChannels - 1) / kSliceChannels;
    const int64_t channels = layout_.channels * deform_groups_;
    sample_grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(sample_grads),
                                     t.stepImages * taps_ * positions_ * channels);
    slices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(slices),
                               layout_.images * slices_ * layout_.ImagePixels() * kSliceChannels);
    grad_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_input),
                             t.batch * channels * layout_.rows * layout_.columns);
    locations_.Init(offset, mask, copy, t, pipe);
    rows_.Init(slices, layout_, t.located, kSliceChannels, kLanes, pipe);
    const DeformScatterBuffers buffers(t.band, t.located, sizeof(T));
    pipe->InitBuffer(sample_grads_queue_, buffers.sample_grads.count, buffers.sample_grads.bytes);
    pipe->InitBuffer(corner_grads_queue_, buffers.corner_grads.count, buffers.corner_grads.bytes);
    pipe->InitBuffer(spread_, buffers.spread.bytes);
    pipe->InitBuffer(pixels_queue_, buffers.pixels.count, buffers.pixels.bytes);
    pipe->InitBuffer(planes_queue_, buffers.planes.count, buffers.planes.bytes);
    pipe->InitBuffer(planes_, buffers.float32_planes.bytes);
    // A transposition also reads the pixels after a run, and planes are converted whole. These elements must
    // have been written.
    auto pixels = pixels_queue_.template AllocTensor<float>();
    AscendC::Duplicate(pixels, 0.0f, (kRun + DeformScatterBuffers::kMargin) * kSliceChannels);
    pixels_queue_.FreeTensor(pixels);
    AscendC::Duplicate(planes_.template Get<float>(), 0.0f, kLanes * kRun);
  }

  // Computes slice `item` of a step and stores it. `first` is the first image of the step.
  __aicore__ inline void Compute(int64_t first, int64_t item) {
    const int64_t image = item / slices_, channel = item % slices_ * kSliceChannels;
    const int64_t local = image / deform_groups_, group = image % deform_groups_;
    origin_ = item * layout_.ImagePixels();
    width_ = MinRemaining(layout_.channels - channel, kSliceChannels);
    Clear();
    for (int64_t position = 0; position < positions_; position += span_) {
      const uint32_t count = MinRemaining(positions_ - position, span_);
      locations_.SetPositions(position, count);
      for (int64_t tap = 0; tap < taps_; tap += locations_.TapsAtOnce()) {
        const uint32_t taps = MinRemaining(taps_ - tap, locations_.TapsAtOnce());
        locations_.Locate(rows_, first + local, group * taps_ + tap, taps);
        for (uint32_t t = 0; t < taps; ++t) {
          const int64_t row = (local * taps_ + tap + t) * positions_ + position;
          const int64_t from = row * layout_.channels * deform_groups_ + group * layout_.channels + channel;
          AddSamples(t * locations_.Slots(), count, from);
        }
      }
    }
    AscendC::PipeBarrier<PIPE_ALL>();
    Store(((first + local) * deform_groups_ + group) * layout_.channels + channel);
  }

 private:
  static constexpr uint32_t kCorners = DeformScatterBuffers::kCorners;
  static constexpr uint32_t kRun = DeformScatterBuffers::kRun;

  // Writes zeros to the slice.
  __aicore__ inline void Clear() {
    auto zeros = corner_grads_queue_.template AllocTensor<float>();
    const uint32_t most = kCorners * span_;
    AscendC::Duplicate(zeros, 0.0f, most * kSliceChannels);
    corner_grads_queue_.EnQue(zeros);
    zeros = corner_grads_queue_.template DeQue<float>();
    for (int64_t pixel = 0; pixel < layout_.ImagePixels(); pixel += most) {
      AscendC::DataCopy(slices_gm_[(origin_ + pixel) * kSliceChannels], zeros,
                        MinRemaining(layout_.ImagePixels() - pixel, most) * kSliceChannels);
    }
    corner_grads_queue_.FreeTensor(zeros);
    AscendC::PipeBarrier<PIPE_MTE3>();
  }

  // Adds the gradients of samples [first, first + count) of the last Locate to their corners. In GM these
  // gradients start at element `from`. In UB the four corners of a sample follow each other, so that one copy
  // adds them:
  //
  //   sample 0: above left, above right, below left, below right | sample 1: …      a data block each
  __aicore__ inline void AddSamples(uint32_t first, uint32_t count, int64_t from) {
    constexpr uint32_t kBrcb = 8;  // elements that a repeat of Brcb spreads
    auto grads = sample_grads_queue_.template AllocTensor<float>();
    CopyRowsIn(grads, kSliceChannels, sample_grads_gm_, from, layout_.channels * deform_groups_, count,
               width_);
    sample_grads_queue_.EnQue(grads);
    grads = sample_grads_queue_.template DeQue<float>();
    auto corner_grads = corner_grads_queue_.template AllocTensor<float>();
    auto spread = spread_.template Get<float>();
    for (uint32_t i = 0; i < kCorners; ++i) {
      AscendC::Brcb(spread, rows_.Weight(i)[first], static_cast<uint8_t>((count + kBrcb - 1) / kBrcb),
                    {1, kBrcb});
      // A Mul takes eight samples, a data block of each.
      constexpr uint32_t kBlocks = 8;
      constexpr uint8_t kStep = kCorners * kBlocks;
      for (uint32_t s = 0; s < count; s += kBlocks) {
        const uint64_t mask = MinRemaining(count - s, kBlocks) * kSliceChannels;
        AscendC::Mul(corner_grads[(s * kCorners + i) * kSliceChannels], spread[s * kSliceChannels],
                     grads[s * kSliceChannels], mask, 1, {kCorners, 1, 1, kStep, kBlocks, kBlocks});
      }
    }
    sample_grads_queue_.FreeTensor(grads);
    corner_grads_queue_.EnQue(corner_grads);
    AddCorners(first, count);
  }

  // Adds the enqueued gradients of the four corners of each sample to the slice, sample by sample.
  __aicore__ inline void AddCorners(uint32_t first, uint32_t count) {
    auto corner_grads = corner_grads_queue_.template DeQue<float>();
    const auto windows = rows_.Windows();
    const uint32_t gap = static_cast<uint32_t>((layout_.Pitch() - 2) * kBlockBytes);
    const int64_t origin = origin_ + layout_.Pixel(0, 0, 0);
    AscendC::SetAtomicAdd<float>();
    for (uint32_t s = 0; s < count; ++s) {
      const int64_t pixel = origin + windows.GetValue(first + s);
      AscendC::DataCopyPad(slices_gm_[pixel * kSliceChannels], corner_grads[s * kCorners * kSliceChannels],
                           {2, 2 * kBlockBytes, 0, gap, 0});
      // The next sample may add to the same pixels.
      AscendC::PipeBarrier<PIPE_MTE3>();
    }
    AscendC::SetAtomicNone();
    corner_grads_queue_.FreeTensor(corner_grads);
  }

  // Stores the slice as planes of the result, plane `plane` and those after it. A run of a row is transposed
  // at a time.
  __aicore__ inline void Store(int64_t plane) {
    const int64_t elements = layout_.rows * layout_.columns;
    auto planes = planes_.template Get<float>();
    for (int64_t y = 0; y < layout_.rows; ++y) {
      for (int64_t x = 0; x < layout_.columns; x += kRun) {
        const uint32_t count = MinRemaining(layout_.columns - x, kRun);
        auto pixels = pixels_queue_.template AllocTensor<float>();
        AscendC::DataCopy(pixels, slices_gm_[(origin_ + layout_.Pixel(0, y, x)) * kSliceChannels],
                          count * kSliceChannels);
        pixels_queue_.EnQue(pixels);
        pixels = pixels_queue_.template DeQue<float>();
        // A transposition takes 16 channels. Those after the slice are of the next pixel, and are not stored.
        PixelsToPlanes(planes, kRun, pixels, kSliceChannels, kSliceChannels, count);
        pixels_queue_.FreeTensor(pixels);
        auto out = planes_queue_.template AllocTensor<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
          AscendC::Adds(out, planes, 0.0f, width_ * kRun);
        } else {
          AscendC::Cast(out, planes, AscendC::RoundMode::CAST_RINT, width_ * kRun);
        }
        planes_queue_.EnQue(out);
        out = planes_queue_.template DeQue<T>();
        CopyRowsOut(grad_gm_, plane * elements + y * layout_.columns + x, elements, out, kRun, width_, count);
        planes_queue_.FreeTensor(out);
      }
    }
  }

  DeformTaps<T> locations_;
  BilinearRows<T> rows_;  // holds windows and weights; its rows are not used
  AscendC::TQue<AscendC::TPosition::VECIN, 1> sample_grads_queue_, pixels_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> corner_grads_queue_, planes_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> spread_, planes_;
  AscendC::GlobalTensor<float> sample_grads_gm_, slices_gm_;
  AscendC::GlobalTensor<T> grad_gm_;
  ChannelsLast layout_;
  int64_t taps_, positions_, deform_groups_, slices_;
  uint32_t span_;  // positions that are located at once: half a band
  // The slice of the last Compute.
  int64_t origin_;  // first pixel of it in the workspace
  uint32_t width_;  // channels of it
};

}  // namespace avo
