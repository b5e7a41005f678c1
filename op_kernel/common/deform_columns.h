// SPDX-License-Identifier: Apache-2.0
// Samples of deformable convolution as columns: channels of a tap at a position, contiguous in GM, positions
// of a band below each other, taps of the band behind each other.
#pragma once

#include "deform_taps.h"
#include "image_copy.h"

namespace avo {

template <typename T>
class DeformColumns {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR images, GM_ADDR offset, GM_ADDR mask, const ImageCopy &copy,
                              const Tiling &t, AscendC::TPipe *pipe) {
    taps_ = t.kernel[0] * t.kernel[1];
    deform_groups_ = t.deformGroups;
    channels_ = copy.channels;
    sampled_ = t.sampled;
    chunk_ = t.chunk;
    band_ = t.band;
    locate_.Init(offset, mask, copy, t, t.band / 2, pipe);
    rows_.Init(images, LayoutOf(copy), t.located, t.sampled, t.chunk, pipe);
    pipe->InitBuffer(out_queue_, 2, t.sampled * t.chunk * sizeof(T));
  }

  // Positions [first, first + count) of image n, which is image `local` of those in the workspace, become
  // rows `row` and on of the band `columns`.
  __aicore__ inline void Sample(int64_t n, int64_t local, int64_t first, uint32_t count,
                                const AscendC::GlobalTensor<T> &columns, uint32_t row) {
    locate_.SetPositions(first, count);
    const int64_t all = taps_ * deform_groups_;
    const uint32_t slots = locate_.Slots();
    for (int64_t tap = 0; tap < all; tap += locate_.TapsAtOnce()) {
      const uint32_t taps =
          all - tap < locate_.TapsAtOnce() ? static_cast<uint32_t>(all - tap) : locate_.TapsAtOnce();
      locate_.Locate(rows_, n, tap, taps);
      for (uint32_t t = 0; t < taps; ++t) {
        const int64_t group = (tap + t) / taps_, k = (tap + t) % taps_;
        for (uint32_t s = 0; s < count; s += sampled_) {
          const uint32_t samples = count - s < sampled_ ? count - s : sampled_;
          for (int64_t c = 0; c < channels_; c += chunk_) {
            const uint32_t width = channels_ - c < chunk_ ? static_cast<uint32_t>(channels_ - c) : chunk_;
            const int64_t all_channels = channels_ * deform_groups_;
            const int64_t to = (k * band_ + row + s) * all_channels + group * channels_ + c;
            SampleTile(local * deform_groups_ + group, t * slots + s, samples, static_cast<uint32_t>(c),
                       width, columns, to, all_channels);
          }
        }
      }
    }
  }

 private:
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void SampleTile(int64_t image, uint32_t first, uint32_t samples, uint32_t channel,
                                    uint32_t width, const AscendC::GlobalTensor<T> &columns, int64_t to,
                                    int64_t step) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    rows_.CopyIn(image, first, samples, channel, (width + kLane - 1) / kLane * kLane);
    auto rows = rows_.Weighted(first);
    auto out = out_queue_.template AllocTensor<T>();
    Combine(out, rows);
    rows_.Release();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    CopyRowsOut(columns, to, step, out, chunk_, samples, width);
    out_queue_.FreeTensor(out);
  }

  // The sums of the four corners' rows.
  __aicore__ inline void Combine(const AscendC::LocalTensor<T> &out,
                                 const AscendC::LocalTensor<float> &rows) {
    const uint32_t samples = rows_.Samples(), plane = samples * 2 * chunk_;
    AscendC::Add(rows, rows, rows[plane], plane);
    AscendC::LocalTensor<float> sums;
    if constexpr (sizeof(T) == sizeof(float)) {
      sums = out;
    } else {
      sums = rows[plane];
    }
    const uint8_t stride = static_cast<uint8_t>(chunk_ / 8), pair = static_cast<uint8_t>(2 * chunk_ / 8);
    for (uint32_t c = 0; c < chunk_; c += kRepeat) {
      const uint64_t mask = chunk_ - c < kRepeat ? chunk_ - c : kRepeat;
      AscendC::Add(sums[c], rows[c], rows[chunk_ + c], mask, static_cast<uint8_t>(samples),
                   {1, 1, 1, stride, pair, pair});
    }
    if constexpr (sizeof(T) != sizeof(float)) {
      AscendC::Cast(out, sums, AscendC::RoundMode::CAST_RINT, samples * chunk_);
    }
  }

  DeformTaps<T> locate_;
  BilinearRows<T> rows_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  int64_t taps_, deform_groups_, channels_;
  uint32_t sampled_, chunk_, band_;
};

}  // namespace avo
