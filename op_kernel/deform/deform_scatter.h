// SPDX-License-Identifier: Apache-2.0
// The gradient of the input of deformable convolution. A core owns slices of images, eight channels of each:
// it walks over all samples of an image in one order and adds their gradients to the corners they were read
// from, in a float32 copy of the slice in the workspace, pixels of which are data blocks. So no two cores add
// to one pixel, and every sum runs in one order. The copy has the border of the images (channels_last.h):
// what was read from there goes there.
#pragma once

#include "../common/copies/channels_last.h"
#include "deform_taps.h"

namespace avo {

constexpr uint32_t kSlice = 8;  // channels, a data block of float32

template <typename T>
class DeformScatter {
 public:
  // slices: (image, slice, pixel, channel) of a step.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR offset, GM_ADDR mask, GM_ADDR into, GM_ADDR slices, GM_ADDR grad_input,
                              const ImageCopy &copy, const Tiling &t, AscendC::TPipe *pipe) {
    taps_ = t.kernel[0] * t.kernel[1];
    positions_ = t.outSize[0] * t.outSize[1];
    deform_groups_ = t.deformGroups;
    layout_ = LayoutOf(copy);
    span_ = t.band / 2;
    slices_ = (layout_.channels + kSlice - 1) / kSlice;
    const int64_t channels = layout_.channels * deform_groups_;
    into_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(into),
                             t.stepImages * taps_ * positions_ * channels);
    slices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(slices),
                               layout_.images * slices_ * layout_.ImagePixels() * kSlice);
    grad_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_input),
                             t.batch * channels * layout_.rows * layout_.columns);
    locate_.Init(offset, mask, copy, t, span_, pipe);
    rows_.Init(slices, layout_, t.located, kSlice, kLanes, pipe);
    pipe->InitBuffer(into_queue_, 2, span_ * kSlice * sizeof(float));
    pipe->InitBuffer(out_queue_, 2, kCorners * span_ * kSlice * sizeof(float));
    pipe->InitBuffer(spread_, span_ * kSlice * sizeof(float));
    // A piece of a row of pixels, and its planes.
    pipe->InitBuffer(pixels_queue_, 1, (kRun + 2) * kSlice * sizeof(float));
    pipe->InitBuffer(planes_queue_, 1, kLanes * kRun * sizeof(T));
    pipe->InitBuffer(planes_, kLanes * kRun * sizeof(float));
    // Pixels beyond a run are transposed with it, and planes converted whole.
    auto pixels = pixels_queue_.template AllocTensor<float>();
    AscendC::Duplicate(pixels, 0.0f, (kRun + 2) * kSlice);
    pixels_queue_.FreeTensor(pixels);
    AscendC::Duplicate(planes_.template Get<float>(), 0.0f, kLanes * kRun);
  }

  // Gradient of slice `item` of those of a step, whose first image is image `first`.
  __aicore__ inline void Compute(int64_t first, int64_t item) {
    const int64_t image = item / slices_, channel = item % slices_ * kSlice;
    const int64_t local = image / deform_groups_, group = image % deform_groups_;
    origin_ = item * layout_.ImagePixels();
    width_ = Rest(layout_.channels - channel, kSlice);
    Clear();
    for (int64_t position = 0; position < positions_; position += span_) {
      const uint32_t count = Rest(positions_ - position, span_);
      locate_.SetPositions(position, count);
      for (int64_t tap = 0; tap < taps_; tap += locate_.TapsAtOnce()) {
        const uint32_t taps = Rest(taps_ - tap, locate_.TapsAtOnce());
        locate_.Locate(rows_, first + local, group * taps_ + tap, taps);
        for (uint32_t t = 0; t < taps; ++t) {
          const int64_t row = (local * taps_ + tap + t) * positions_ + position;
          const int64_t from = row * layout_.channels * deform_groups_ + group * layout_.channels + channel;
          Add(t * locate_.Slots(), count, from);
        }
      }
    }
    AscendC::PipeBarrier<PIPE_ALL>();
    Store(((first + local) * deform_groups_ + group) * layout_.channels + channel);
  }

 private:
  static constexpr uint32_t kCorners = 4;
  static constexpr uint32_t kRun = 256;  // pixels that are stored at a time

  __aicore__ inline void Clear() {
    auto zeros = out_queue_.template AllocTensor<float>();
    const uint32_t most = kCorners * span_;
    AscendC::Duplicate(zeros, 0.0f, most * kSlice);
    out_queue_.EnQue(zeros);
    zeros = out_queue_.template DeQue<float>();
    for (int64_t pixel = 0; pixel < layout_.ImagePixels(); pixel += most) {
      AscendC::DataCopy(slices_gm_[(origin_ + pixel) * kSlice], zeros,
                        Rest(layout_.ImagePixels() - pixel, most) * kSlice);
    }
    out_queue_.FreeTensor(zeros);
    AscendC::PipeBarrier<PIPE_MTE3>();
  }

  // Adds samples `first` and on, whose gradients begin at element `from`, to their corners.
  __aicore__ inline void Add(uint32_t first, uint32_t count, int64_t from) {
    const uint32_t repeats = (count + kSlice - 1) / kSlice;
    auto into = into_queue_.template AllocTensor<float>();
    CopyRowsIn(into, kSlice, into_gm_, from, layout_.channels * deform_groups_, count, width_);
    into_queue_.EnQue(into);
    into = into_queue_.template DeQue<float>();
    auto parts = out_queue_.template AllocTensor<float>();
    auto spread = spread_.template Get<float>();
    for (uint32_t i = 0; i < kCorners; ++i) {
      AscendC::Brcb(spread, rows_.Weight(i)[first], static_cast<uint8_t>(repeats), {1, kSlice});
      // Corners of a sample follow each other.
      const uint8_t step = kCorners * kSlice;
      for (uint32_t s = 0; s < count; s += kSlice) {
        const uint64_t mask = Rest(count - s, kSlice) * kSlice;
        AscendC::Mul(parts[(s * kCorners + i) * kSlice], spread[s * kSlice], into[s * kSlice], mask, 1,
                     {kCorners, 1, 1, step, kSlice, kSlice});
      }
    }
    into_queue_.FreeTensor(into);
    out_queue_.EnQue(parts);
    parts = out_queue_.template DeQue<float>();
    const auto windows = rows_.Windows();
    const uint32_t gap = static_cast<uint32_t>((layout_.Pitch() - 2) * kBlockBytes);
    const int64_t origin = origin_ + layout_.Pixel(0, 0, 0);
    AscendC::SetAtomicAdd<float>();
    for (uint32_t s = 0; s < count; ++s) {
      const int64_t pixel = origin + windows.GetValue(first + s);
      AscendC::DataCopyPad(slices_gm_[pixel * kSlice], parts[s * kCorners * kSlice],
                           {2, 2 * kBlockBytes, 0, gap, 0});
      // Samples may share pixels.
      AscendC::PipeBarrier<PIPE_MTE3>();
    }
    AscendC::SetAtomicNone();
    out_queue_.FreeTensor(parts);
  }

  // The slice as planes of the result.
  __aicore__ inline void Store(int64_t plane) {
    const int64_t elements = layout_.rows * layout_.columns;
    auto planes = planes_.template Get<float>();
    for (int64_t y = 0; y < layout_.rows; ++y) {
      for (int64_t x = 0; x < layout_.columns; x += kRun) {
        const uint32_t count = Rest(layout_.columns - x, kRun);
        auto pixels = pixels_queue_.template AllocTensor<float>();
        AscendC::DataCopy(pixels, slices_gm_[(origin_ + layout_.Pixel(0, y, x)) * kSlice], count * kSlice);
        pixels_queue_.EnQue(pixels);
        pixels = pixels_queue_.template DeQue<float>();
        // Lanes beyond a slice read the pixel behind, and are not stored.
        PixelsToPlanes(planes, kRun, pixels, kSlice, kSlice, count);
        pixels_queue_.FreeTensor(pixels);
        auto out = planes_queue_.template AllocTensor<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
          AscendC::Adds(out, planes, 0.0f, width_ * kRun);
        } else {
          AscendC::Cast(out, planes, AscendC::RoundMode::CAST_RINT, width_ * kRun);
        }
        planes_queue_.EnQue(out);
        out = planes_queue_.template DeQue<T>();
        CopyPlanesOut(grad_gm_, plane * elements + y * layout_.columns + x, elements, out, kRun, width_,
                      count);
        planes_queue_.FreeTensor(out);
      }
    }
  }

  DeformTaps<T> locate_;
  BilinearRows<T> rows_;  // its windows and weights alone
  AscendC::TQue<AscendC::TPosition::VECIN, 1> into_queue_, pixels_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_, planes_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> spread_, planes_;
  AscendC::GlobalTensor<float> into_gm_, slices_gm_;
  AscendC::GlobalTensor<T> grad_gm_;
  ChannelsLast layout_;
  int64_t taps_, positions_, deform_groups_, slices_;
  uint32_t span_;
  // The slice in hand: its first pixel in the workspace, and its channels.
  int64_t origin_;
  uint32_t width_;
};

}  // namespace avo
