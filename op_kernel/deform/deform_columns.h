// SPDX-License-Identifier: Apache-2.0
// Samples of deformable convolution as a factor of a matrix product. In GM the samples of a band, its
// columns, are one plane for each tap; in a plane, the channels of a position are contiguous:
//
//   tap 0:  position 0: c0 c1 c2 …      tap 1:  position 0: c0 c1 c2 …      …
//           position 1: c0 c1 c2 …              position 1: c0 c1 c2 …
#pragma once

#include "../common/copies/image_copy.h"
#include "deform_columns_buffers.h"
#include "deform_taps.h"

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
    locations_.Init(offset, mask, copy, t, pipe);
    rows_.Init(images, LayoutOf(copy), t.located, t.sampled, t.chunk, pipe);
    const DeformColumnsBuffers buffers(t.band, t.located, t.sampled, t.chunk, sizeof(T));
    pipe->InitBuffer(out_queue_, buffers.samples.count, buffers.samples.bytes);
  }

  // Chooses positions [first, first + count) of image n, which is image `local` of the step in the workspace.
  // Their samples become rows [row, row + count) of the planes of a band.
  __aicore__ inline void Begin(int64_t n, int64_t local, int64_t first, uint32_t count, uint32_t row) {
    n_ = n;
    local_ = local;
    count_ = count;
    row_ = row;
    locations_.SetPositions(first, count);
  }

  // Samples taps [begin, end) of all deform groups at the chosen positions, into the columns of a band.
  __aicore__ inline void Sample(int64_t begin, int64_t end, const AscendC::GlobalTensor<T> &columns) {
    for (int64_t group = 0; group < deform_groups_; ++group) {
      for (int64_t tap = begin; tap < end; tap += locations_.TapsAtOnce()) {
        const uint32_t taps = MinRemaining(end - tap, locations_.TapsAtOnce());
        locations_.Locate(rows_, n_, group * taps_ + tap, taps);
        for (uint32_t t = 0; t < taps; ++t) SampleTap(group, tap + t, t * locations_.Slots(), columns);
      }
    }
  }

 private:
  // Samples one tap of a deform group. Its first window is window `first` of the last Locate.
  __aicore__ inline void SampleTap(int64_t group, int64_t tap, uint32_t first,
                                   const AscendC::GlobalTensor<T> &columns) {
    const int64_t all_channels = channels_ * deform_groups_;
    for (uint32_t s = 0; s < count_; s += sampled_) {
      for (int64_t c = 0; c < channels_; c += chunk_) {
        const int64_t to = (tap * band_ + row_ + s) * all_channels + group * channels_ + c;
        SampleTile(local_ * deform_groups_ + group, first + s, MinRemaining(count_ - s, sampled_),
                   static_cast<uint32_t>(c), columns[to], all_channels);
      }
    }
  }

  // Samples channels [channel, channel + chunk) at windows [first, first + samples) of an image. In
  // `columns`, the channels of a position start `step` elements after those of the position before.
  __aicore__ inline void SampleTile(int64_t image, uint32_t first, uint32_t samples, uint32_t channel,
                                    const AscendC::GlobalTensor<T> &columns, int64_t step) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    const uint32_t width = MinRemaining(channels_ - channel, chunk_);
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
    CopyRowsOut(columns, 0, step, out, chunk_, samples, width);
    out_queue_.FreeTensor(out);
  }

  DeformTaps<T> locations_;
  BilinearRows<T> rows_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  int64_t taps_, deform_groups_, channels_;
  uint32_t sampled_, chunk_, band_;
  // The chosen positions.
  int64_t n_, local_;
  uint32_t count_, row_;
};

}  // namespace avo
