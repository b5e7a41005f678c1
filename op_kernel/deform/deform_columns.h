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

  // Positions [first, first + count) of image n, which is image `local` of those in the workspace: they
  // become rows `row` and on of a band.
  __aicore__ inline void Begin(int64_t n, int64_t local, int64_t first, uint32_t count, uint32_t row) {
    n_ = n;
    local_ = local;
    count_ = count;
    row_ = row;
    locate_.SetPositions(first, count);
  }

  // Taps [begin, end) of all deform groups.
  __aicore__ inline void Sample(int64_t begin, int64_t end, const AscendC::GlobalTensor<T> &columns) {
    for (int64_t group = 0; group < deform_groups_; ++group) {
      for (int64_t tap = begin; tap < end; tap += locate_.TapsAtOnce()) {
        const uint32_t taps = Rest(end - tap, locate_.TapsAtOnce());
        locate_.Locate(rows_, n_, group * taps_ + tap, taps);
        for (uint32_t t = 0; t < taps; ++t) SampleTap(group, tap + t, t * locate_.Slots(), columns);
      }
    }
  }

 private:
  // One tap, whose windows begin with window `first`.
  __aicore__ inline void SampleTap(int64_t group, int64_t tap, uint32_t first,
                                   const AscendC::GlobalTensor<T> &columns) {
    const int64_t all_channels = channels_ * deform_groups_;
    for (uint32_t s = 0; s < count_; s += sampled_) {
      for (int64_t c = 0; c < channels_; c += chunk_) {
        const int64_t to = (tap * band_ + row_ + s) * all_channels + group * channels_ + c;
        SampleTile(local_ * deform_groups_ + group, first + s, Rest(count_ - s, sampled_),
                   static_cast<uint32_t>(c), columns[to], all_channels);
      }
    }
  }

  __aicore__ inline void SampleTile(int64_t image, uint32_t first, uint32_t samples, uint32_t channel,
                                    const AscendC::GlobalTensor<T> &columns, int64_t step) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    const uint32_t width = Rest(channels_ - channel, chunk_);
    rows_.CopyIn(image, first, samples, channel, RoundUp(width, kLane));
    auto rows = rows_.Weighted(first);
    auto out = out_queue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      SumCorners(out, rows, rows_.Samples(), chunk_);
    } else {
      const auto sums = rows[rows_.Samples() * 2 * chunk_];
      SumCorners(sums, rows, rows_.Samples(), chunk_);
      AscendC::Cast(out, sums, AscendC::RoundMode::CAST_RINT, rows_.Samples() * chunk_);
    }
    rows_.Release();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    CopyPlanesOut(columns, 0, step, out, chunk_, samples, width);
    out_queue_.FreeTensor(out);
  }

  DeformTaps<T> locate_;
  BilinearRows<T> rows_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  int64_t taps_, deform_groups_, channels_;
  uint32_t sampled_, chunk_, band_;
  // The positions in hand.
  int64_t n_, local_;
  uint32_t count_, row_;
};

}  // namespace avo
