// SPDX-License-Identifier: Apache-2.0
// What the vector cores compute of the gradients of deformable convolution, from the gradients of its samples
// (tap, position, channel): those of offset and mask, and the samples, transposed for the product that gives
// the gradient of the weights.
#pragma once

#include "../common/copies/channels_last.h"
#include "deform_taps.h"

namespace avo {

template <typename T>
class DeformGradients {
 public:
  // into: gradients of a step's samples, (image, tap, position, channel).
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR images, GM_ADDR offset, GM_ADDR mask, GM_ADDR into, GM_ADDR grad_offset,
                              GM_ADDR grad_mask, const ImageCopy &copy, const Tiling &t,
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
    into_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(into), t.stepImages * all * channels_);
    grad_offset_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_offset), t.batch * 2 * all);
    grad_mask_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad_mask), t.batch * all);
    locate_.Init(offset, mask, copy, t, t.band / 2, pipe);
    rows_.Init(images, LayoutOf(copy), located_, sampled_, chunk_, pipe);
    pipe->InitBuffer(into_queue_, 2, sampled_ * chunk_ * sizeof(float));
    pipe->InitBuffer(planes_queue_, 2, sampled_ * chunk_ * sizeof(T));
    pipe->InitBuffer(along_queue_, 1, 3 * located_ * sizeof(T));
    pipe->InitBuffer(products_, kCorners * sampled_ * kRepeat * sizeof(float));
    pipe->InitBuffer(dots_, kCorners * (located_ + sampled_) * sizeof(float));
    pipe->InitBuffer(samples_, sampled_ * chunk_ * sizeof(float));
    // Lanes beside the samples of a tile are computed with, though nothing comes of them.
    AscendC::Duplicate(dots_.template Get<float>(), 0.0f, kCorners * (located_ + sampled_));
    AscendC::Duplicate(samples_.template Get<float>(), 0.0f, sampled_ * chunk_);
  }

  // Positions [first, first + count) of image n, image `local` of the step. Their samples become columns
  // `row` and on of `columns`, (channel, tap) rows of a band.
  __aicore__ inline void Compute(int64_t n, int64_t local, int64_t first, uint32_t count,
                                 const AscendC::GlobalTensor<T> &columns, uint32_t row) {
    first_ = first;
    locate_.SetPositions(first, count);
    const int64_t all = taps_ * deform_groups_;
    for (int64_t tap = 0; tap < all; tap += locate_.TapsAtOnce()) {
      const uint32_t taps = Rest(all - tap, locate_.TapsAtOnce());
      locate_.Locate(rows_, n, tap, taps);
      for (uint32_t t = 0; t < taps; ++t) {
        for (uint32_t s = 0; s < count; s += sampled_) {
          for (int64_t c = 0; c < channels_; c += chunk_) {
            Tile(local, tap + t, t, s, Rest(count - s, sampled_), static_cast<uint32_t>(c), columns, row + s);
          }
        }
      }
      StoreAlong(n, tap, taps, count);
    }
  }

 private:
  static constexpr uint32_t kRepeat = 64;  // floats
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
  static constexpr uint32_t kCorners = 4;

  // Samples [s, s + count) of tap `tap`, the t-th that was located, channels [c, c + chunk).
  __aicore__ inline void Tile(int64_t local, int64_t tap, uint32_t t, uint32_t s, uint32_t count, uint32_t c,
                              const AscendC::GlobalTensor<T> &columns, uint32_t row) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    const uint32_t first = t * locate_.Slots() + s, width = Rest(channels_ - c, chunk_);
    const int64_t group = tap / taps_, k = tap % taps_, channel = group * channels_ + c;
    const int64_t all_channels = channels_ * deform_groups_;
    rows_.CopyIn(local * deform_groups_ + group, first, count, c, RoundUp(width, kLane));
    auto into = into_queue_.template AllocTensor<float>();
    CopyRowsIn(into, chunk_, into_gm_,
               ((local * taps_ + k) * positions_ + first_ + s) * all_channels + channel, all_channels, count,
               width);
    into_queue_.EnQue(into);
    auto rows = rows_.Rows();
    into = into_queue_.template DeQue<float>();
    Dots(rows, into, first, count, c, width);
    into_queue_.FreeTensor(into);

    rows_.Weigh(rows, first);
    auto planes = planes_queue_.template AllocTensor<T>();
    Transpose(planes, rows, width, count);
    rows_.Release();
    planes_queue_.EnQue(planes);
    planes = planes_queue_.template DeQue<T>();
    CopyPlanesOut(columns, (channel * taps_ + k) * band_ + row, taps_ * band_, planes, sampled_, width,
                  count);
    planes_queue_.FreeTensor(planes);
  }

  // Products of the gradient with each corner, summed over channels.
  __aicore__ inline void Dots(const AscendC::LocalTensor<float> &rows,
                              const AscendC::LocalTensor<float> &into, uint32_t first, uint32_t count,
                              uint32_t channel, uint32_t width) {
    const uint8_t step = static_cast<uint8_t>(chunk_ / kBlock),
                  pair = static_cast<uint8_t>(2 * chunk_ / kBlock);
    const uint8_t repeats = static_cast<uint8_t>(count);
    for (uint32_t i = 0; i < kCorners; ++i) {
      const auto products = products_.template Get<float>()[i * sampled_ * kRepeat];
      const auto corner = rows[i / 2 * rows_.Samples() * 2 * chunk_ + i % 2 * chunk_];
      for (uint32_t c = 0; c < width; c += kRepeat) {
        const uint64_t mask = Rest(width - c, kRepeat);
        const AscendC::BinaryRepeatParams params{1, 1, 1, 8, pair, step};
        if (c == 0) {
          AscendC::Mul(products, corner, into, mask, repeats, params);
        } else {
          AscendC::MulAddDst(products, corner[c], into[c], mask, repeats, params);
        }
      }
      const auto sum =
          channel == 0 ? Dot(i)[first] : dots_.template Get<float>()[kCorners * located_ + i * sampled_];
      AscendC::WholeReduceSum(sum, products, static_cast<int32_t>(Rest(width, kRepeat)), repeats, 1, 1, 8);
      if (channel != 0) AscendC::Add(Dot(i)[first], Dot(i)[first], sum, count);
    }
  }

  // Samples out of the weighted rows of their corners, a row of positions for each channel.
  __aicore__ inline void Transpose(const AscendC::LocalTensor<T> &planes,
                                   const AscendC::LocalTensor<float> &rows, uint32_t width, uint32_t count) {
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

  __aicore__ inline AscendC::LocalTensor<float> Dot(uint32_t i) {
    return dots_.template Get<float>()[i * located_];
  }

  // Gradients of offset and mask from the corners' dots: the interpolation, and its derivatives.
  __aicore__ inline void StoreAlong(int64_t n, int64_t tap, uint32_t taps, uint32_t count) {
    const uint32_t slots = locate_.Slots(), all = taps * slots;
    const auto y = locate_.RowFraction(), x = locate_.ColumnFraction(), mask = locate_.Mask();
    const auto part = locate_.Free(0);
    AscendC::Sub(Dot(1), Dot(1), Dot(0), all);
    AscendC::Sub(Dot(3), Dot(3), Dot(2), all);
    AscendC::Mul(part, x, Dot(1), all);
    AscendC::Add(Dot(0), Dot(0), part, all);
    AscendC::Mul(part, x, Dot(3), all);
    AscendC::Add(Dot(2), Dot(2), part, all);
    AscendC::Sub(Dot(2), Dot(2), Dot(0), all);
    AscendC::Mul(part, y, Dot(2), all);
    AscendC::Add(Dot(0), Dot(0), part, all);
    AscendC::Sub(Dot(3), Dot(3), Dot(1), all);
    AscendC::Mul(Dot(3), Dot(3), y, all);
    AscendC::Add(Dot(1), Dot(1), Dot(3), all);
    AscendC::Mul(Dot(1), Dot(1), mask, all);
    AscendC::Mul(Dot(2), Dot(2), mask, all);

    auto along = along_queue_.template AllocTensor<T>();
    const uint32_t found[3] = {2, 1, 0};  // of rows, of columns, of the mask
    for (uint32_t i = 0; i < 3; ++i) {
      if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::Adds(along[i * located_], Dot(found[i]), 0.0f, all);
      } else {
        AscendC::Cast(along[i * located_], Dot(found[i]), AscendC::RoundMode::CAST_RINT, all);
      }
    }
    along_queue_.EnQue(along);
    along = along_queue_.template DeQue<T>();
    const int64_t to = (n * taps_ * deform_groups_ + tap) * positions_;
    for (uint32_t axis = 0; axis < 2; ++axis) {
      CopyPlanesOut(grad_offset_gm_, 2 * to + axis * positions_ + first_, 2 * positions_,
                    along[axis * located_], slots, taps, count);
    }
    CopyPlanesOut(grad_mask_gm_, to + first_, positions_, along[2 * located_], slots, taps, count);
    along_queue_.FreeTensor(along);
  }

  DeformTaps<T> locate_;
  BilinearRows<T> rows_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> into_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> planes_queue_, along_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> products_, dots_, samples_;
  AscendC::GlobalTensor<float> into_gm_;
  AscendC::GlobalTensor<T> grad_offset_gm_, grad_mask_gm_;
  int64_t taps_, positions_, deform_groups_, channels_;
  uint32_t located_, sampled_, chunk_, band_;
  int64_t first_;  // of the positions in hand
};

}  // namespace avo
