// SPDX-License-Identifier: Apache-2.0
// What the vector cores compute of the gradients of deformable convolution, band by band, from the gradients
// of the samples (tap, position, channel):
//   - The gradients of offset and mask. They follow from the dot products, over the channels, of the
//     gradient of a sample with each of its four corners.
//   - The samples. Cube cores multiply them with grad_output for the gradient of the weights, and take them
//     transposed: a row of positions for each channel and tap.
//
//       channel 0: tap 0: p0 p1 p2 …
//                  tap 1: p0 p1 p2 …
//       channel 1: tap 0: p0 p1 p2 …
#pragma once

#include "../common/copies/channels_last.h"
#include "../common/sampling/corner_dots.h"
#include "deform_gradients_buffers.h"
#include "deform_taps.h"

namespace avo {

template <typename T>
class DeformGradients {
 public:
  // sample_grads: gradients of the samples of a step, (image, tap, position, channel), float32. Takes
  // DeformGradientsBuffers of the Unified Buffer.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR images, GM_ADDR offset, GM_ADDR mask, GM_ADDR sample_grads,
                              GM_ADDR grad_offset, GM_ADDR grad_mask, const ImageCopy &copy, const Tiling &t,
                              AscendC::TPipe *pipe) {
    taps_ = t.kernel[0] * t.kernel[1];
    positions_ = t.outSize[0] * t.outSize[1];
    deform_groups_ = t.deformGroups;
    channels_ = copy.channels;
    located_ = t.located;
    sampled_ = t.sampled;
    chunk_ = t.chunk;
    band_ = t.band;
    const int64_t all = taps_ * deform_groups_ * positions_;
    sample_grads_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(sample_grads),
                                     t.stepImages * all * channels_);
    grad_offset_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_offset), t.batch * 2 * all);
    grad_mask_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_mask), t.batch * all);
    locations_.Init(offset, mask, copy, t, pipe);
    rows_.Init(images, LayoutOf(copy), located_, sampled_, chunk_, pipe);
    dots_.Init(located_, sampled_, chunk_, pipe);
    const DeformGradientsBuffers buffers(t.band, located_, sampled_, chunk_, sizeof(T));
    pipe->InitBuffer(sample_grads_queue_, buffers.sample_grads.count, buffers.sample_grads.bytes);
    pipe->InitBuffer(planes_queue_, buffers.planes.count, buffers.planes.bytes);
    pipe->InitBuffer(offset_grads_queue_, buffers.offset_grads.count, buffers.offset_grads.bytes);
    pipe->InitBuffer(samples_, buffers.samples.bytes);
    // Instructions also read the elements behind the last sample of a tile. Nothing uses what they compute
    // there, but these elements must have been written.
    AscendC::Duplicate(samples_.template Get<float>(), 0.0f, sampled_ * chunk_);
  }

  // Computes the gradients of offset and mask at positions [first, first + count) of image n, which is image
  // `local` of the step, and the samples there. The samples become elements [row, row + count) of the rows of
  // `columns`.
  __aicore__ inline void Compute(int64_t n, int64_t local, int64_t first, uint32_t count,
                                 const AscendC::GlobalTensor<T> &columns, uint32_t row) {
    first_ = first;
    locations_.SetPositions(first, count);
    const int64_t all = taps_ * deform_groups_;
    for (int64_t tap = 0; tap < all; tap += locations_.TapsAtOnce()) {
      const uint32_t taps = MinRemaining(all - tap, locations_.TapsAtOnce());
      locations_.Locate(rows_, n, tap, taps);
      for (uint32_t t = 0; t < taps; ++t) {
        for (uint32_t s = 0; s < count; s += sampled_) {
          for (int64_t c = 0; c < channels_; c += chunk_) {
            ComputeTile(local, tap + t, t, s, MinRemaining(count - s, sampled_), static_cast<uint32_t>(c),
                        columns, row + s);
          }
        }
      }
      StoreOffsetGrads(n, tap, taps, count);
    }
  }

 private:
  // Handles channels [c, c + chunk) of samples [s, s + count) of tap `tap`, which is the t-th of the last
  // Locate. The samples become elements [row, row + count) of the rows of `columns`.
  __aicore__ inline void ComputeTile(int64_t local, int64_t tap, uint32_t t, uint32_t s, uint32_t count,
                                     uint32_t c, const AscendC::GlobalTensor<T> &columns, uint32_t row) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    const uint32_t first = t * locations_.Slots() + s, width = MinRemaining(channels_ - c, chunk_);
    const int64_t group = tap / taps_, k = tap % taps_, channel = group * channels_ + c;
    const int64_t all_channels = channels_ * deform_groups_;
    rows_.CopyIn(local * deform_groups_ + group, first, count, c, RoundUp(width, kLane));
    auto grads = sample_grads_queue_.template AllocTensor<float>();
    CopyRowsIn(grads, chunk_, sample_grads_gm_,
               ((local * taps_ + k) * positions_ + first_ + s) * all_channels + channel, all_channels, count,
               width);
    sample_grads_queue_.EnQue(grads);
    auto rows = rows_.Rows();
    grads = sample_grads_queue_.template DeQue<float>();
    dots_.Add(rows, rows_.Samples(), grads, first, count, c, width);
    sample_grads_queue_.FreeTensor(grads);

    rows_.Weigh(rows, first);
    auto planes = planes_queue_.template AllocTensor<T>();
    TransposeSamples(planes, rows, width, count);
    rows_.Release();
    planes_queue_.EnQue(planes);
    planes = planes_queue_.template DeQue<T>();
    CopyRowsOut(columns, (channel * taps_ + k) * band_ + row, taps_ * band_, planes, sampled_, width, count);
    planes_queue_.FreeTensor(planes);
  }

  // Adds up the weighted corners of `count` samples of `width` channels. Transposes the sums, so that
  // `planes` gets a row of positions for each channel.
  __aicore__ inline void TransposeSamples(const AscendC::LocalTensor<T> &planes,
                                          const AscendC::LocalTensor<float> &rows, uint32_t width,
                                          uint32_t count) {
    auto samples = samples_.template Get<float>();
    SumCorners(samples, rows, rows_.Samples(), chunk_);
    if constexpr (sizeof(T) == sizeof(float)) {
      PixelsToPlanes(planes, sampled_, samples, chunk_, width, count);
    } else {
      const auto narrow = rows.template ReinterpretCast<T>();
      AscendC::Cast(narrow, samples, AscendC::RoundMode::CAST_RINT, sampled_ * chunk_);
      PixelsToPlanes(planes, sampled_, narrow, chunk_, width, count);
    }
  }

  // Computes and stores the gradients of offset and mask of the last Locate. With dots d0 to d3, fractions y
  // and x, above = d0 + x (d1 - d0) and below = d2 + x (d3 - d2):
  //   mask           above + y (below - above)
  //   row offset     mask (below - above)
  //   column offset  mask (d1 - d0 + y (d3 - d2 - (d1 - d0)))
  __aicore__ inline void StoreOffsetGrads(int64_t n, int64_t tap, uint32_t taps, uint32_t count) {
    const uint32_t slots = locations_.Slots(), all = taps * slots;
    const auto y = locations_.RowFraction(), x = locations_.ColumnFraction(), mask = locations_.Mask();
    const auto product = locations_.Free(0);
    AscendC::Sub(dots_.Dot(1), dots_.Dot(1), dots_.Dot(0), all);
    AscendC::Sub(dots_.Dot(3), dots_.Dot(3), dots_.Dot(2), all);
    AscendC::Mul(product, x, dots_.Dot(1), all);
    AscendC::Add(dots_.Dot(0), dots_.Dot(0), product, all);
    AscendC::Mul(product, x, dots_.Dot(3), all);
    AscendC::Add(dots_.Dot(2), dots_.Dot(2), product, all);
    AscendC::Sub(dots_.Dot(2), dots_.Dot(2), dots_.Dot(0), all);
    AscendC::Mul(product, y, dots_.Dot(2), all);
    AscendC::Add(dots_.Dot(0), dots_.Dot(0), product, all);
    AscendC::Sub(dots_.Dot(3), dots_.Dot(3), dots_.Dot(1), all);
    AscendC::Mul(dots_.Dot(3), dots_.Dot(3), y, all);
    AscendC::Add(dots_.Dot(1), dots_.Dot(1), dots_.Dot(3), all);
    AscendC::Mul(dots_.Dot(1), dots_.Dot(1), mask, all);
    AscendC::Mul(dots_.Dot(2), dots_.Dot(2), mask, all);

    auto grads = offset_grads_queue_.template AllocTensor<T>();
    const uint32_t dots[3] = {2, 1,
                              0};  // which Dot holds the gradients of row offset, column offset and mask now
    for (uint32_t i = 0; i < 3; ++i) {
      if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::Adds(grads[i * located_], dots_.Dot(dots[i]), 0.0f, all);
      } else {
        AscendC::Cast(grads[i * located_], dots_.Dot(dots[i]), AscendC::RoundMode::CAST_RINT, all);
      }
    }
    offset_grads_queue_.EnQue(grads);
    grads = offset_grads_queue_.template DeQue<T>();
    const int64_t to = (n * taps_ * deform_groups_ + tap) * positions_;
    for (uint32_t axis = 0; axis < 2; ++axis) {
      CopyRowsOut(grad_offset_gm_, 2 * to + axis * positions_ + first_, 2 * positions_,
                  grads[axis * located_], slots, taps, count);
    }
    CopyRowsOut(grad_mask_gm_, to + first_, positions_, grads[2 * located_], slots, taps, count);
    offset_grads_queue_.FreeTensor(grads);
  }

  DeformTaps<T> locations_;
  BilinearRows<T> rows_;
  CornerDots dots_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> sample_grads_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> planes_queue_, offset_grads_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> samples_;
  AscendC::GlobalTensor<float> sample_grads_gm_;
  AscendC::GlobalTensor<T> grad_offset_gm_, grad_mask_gm_;
  int64_t taps_, positions_, deform_groups_, channels_;
  uint32_t located_, sampled_, chunk_, band_;
  int64_t first_;  // position of the last Compute
};

}  // namespace avo
