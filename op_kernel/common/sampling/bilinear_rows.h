// SPDX-License-Identifier: Apache-2.0
// Samples between pixels of images that lie channels-last in GM (channels_last.h). A core does, for its
// samples:
//
//   Locate(y, x, count)                 Computes windows (2 x 2 pixels) and weights of many samples at once.
//   CopyIn(image, first, samples, …)    Copies a chunk of channels of the windows of a batch of samples. This
//                                       takes one copy and one scalar read for each sample.
//   rows = Weighted(first)              Converts the rows to float32 and multiplies them with their weights.
//   …                                   The caller adds up what it needs, in its own order.
//   Release()
//
// Rows lie in UB as (tap y, sample, tap x, channel), so that one Add sums the upper and the lower pixels of
// all samples:
//
//   upper   sample 0: left c0 c1 …, right c0 c1 … | sample 1: left …, right … | …
//   lower   sample 0: left c0 c1 …, right c0 c1 … | sample 1: left …, right … | …
#pragma once

#include "../copies/channels_last.h"
#include "../vectors/bits.h"
#include "bilinear_rows_buffers.h"

namespace avo {

// Splits positions: sets `low` to the largest whole numbers that are not above them, and `position` to what
// is left.
__aicore__ inline void SplitWhole(const AscendC::LocalTensor<float> &low,
                                  const AscendC::LocalTensor<float> &position,
                                  const AscendC::LocalTensor<float> &scratch, uint32_t count) {
  const auto whole = scratch.template ReinterpretCast<int32_t>();
  AscendC::Cast(whole, position, AscendC::RoundMode::CAST_FLOOR, count);
  AscendC::Cast(low, whole, AscendC::RoundMode::CAST_NONE, count);
  AscendC::Sub(position, position, low, count);
}

template <typename T>
class BilinearRows {
 public:
  static constexpr uint32_t kTaps = 2;  // pixels of a window, along each axis
  static constexpr uint32_t kCorners = kTaps * kTaps;

  // located: most positions of a Locate, a multiple of 64; batch: most samples of a CopyIn, a multiple of 8;
  // chunk: most channels, a multiple of 16 up to 2032. Takes BilinearRowsBuffers of the Unified Buffer.
  __aicore__ inline void Init(GM_ADDR workspace, const ChannelsLast &layout, uint32_t located, uint32_t batch,
                              uint32_t chunk, AscendC::TPipe *pipe) {
    const BilinearRowsBuffers buffers(located, batch, chunk, sizeof(T));
    InitPositions(layout, located, pipe);
    chunk_ = chunk;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace),
                        layout.images * layout.ImagePixels() * layout.pixel);
    const int64_t gap = (layout.Pitch() - kTaps) * layout.pixel * static_cast<int64_t>(sizeof(T));
    whole_ = chunk == layout.pixel && gap >= 0 && gap < int64_t{1} << 32;
    const uint32_t elements = batch * kCorners * chunk;
    pipe->InitBuffer(queue_, buffers.rows.count, buffers.rows.bytes);
    pipe->InitBuffer(spread_, buffers.spread.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    // CopyIn leaves what was there before where it skips a sample. Write zeros there once.
    for (uint32_t i = 0; i < 2; ++i) {
      auto rows = queue_.template AllocTensor<T>();
      AscendC::Duplicate(rows.template ReinterpretCast<half>(), half(0), elements * sizeof(T) / sizeof(half));
      queue_.FreeTensor(rows);
    }
  }

  // Prepares for Locate alone. Takes BilinearPositionsBuffers of the Unified Buffer.
  __aicore__ inline void InitPositions(const ChannelsLast &layout, uint32_t located, AscendC::TPipe *pipe) {
    layout_ = layout;
    located_ = located;
    const BilinearPositionsBuffers buffers(located);
    pipe->InitBuffer(windows_, buffers.windows.bytes);
    pipe->InitBuffer(weights_, buffers.weights.bytes);
    pipe->InitBuffer(scratch_, buffers.scratch.bytes);
    pipe->InitBuffer(masks_, buffers.masks.bytes);
  }

  // Computes windows and weights of `count` positions y and x, rounded up to 64. Positions must be finite;
  // they are overwritten. As in RoIAlign, a position in [-1, 0] reads the first pixel and one in [size - 1,
  // size] reads the last pixel. A position beyond does not count.
  __aicore__ inline void Locate(const AscendC::LocalTensor<float> &y, const AscendC::LocalTensor<float> &x,
                                uint32_t count) {
    count = RoundUp(count, kRepeat);
    auto scratch = scratch_.template Get<float>();
    const auto y_low = scratch, x_low = scratch[located_], inverse = scratch[2 * located_];
    auto inside = masks_.template Get<uint8_t>();
    const float rows = static_cast<float>(static_cast<int32_t>(layout_.rows));
    const float columns = static_cast<float>(static_cast<int32_t>(layout_.columns));
    const auto other = inside[MaskBytes()];
    AscendC::CompareScalar(inside, y, -1.0f, AscendC::CMPMODE::GE, count);
    KeepBits(inside, other, y, rows, AscendC::CMPMODE::LE, count);
    KeepBits(inside, other, x, -1.0f, AscendC::CMPMODE::GE, count);
    KeepBits(inside, other, x, columns, AscendC::CMPMODE::LE, count);
    SplitClamped(y_low, y, inverse, rows, count);
    SplitClamped(x_low, x, inverse, columns, count);
    // By now y and x hold the weights of the lower and the right pixel.
    AscendC::Muls(inverse, x, -1.0f, count);
    AscendC::Adds(inverse, inverse, 1.0f, count);
    AscendC::Mul(Weight(3), y, x, count);
    AscendC::Mul(Weight(2), y, inverse, count);
    AscendC::Muls(y, y, -1.0f, count);
    AscendC::Adds(y, y, 1.0f, count);
    AscendC::Mul(Weight(1), y, x, count);
    AscendC::Mul(Weight(0), y, inverse, count);
    SetWindows(y_low, x_low, inside, count);
  }

  // Sets windows: the first pixel of a window is (y_low, x_low) where `inside` has a bit. Elsewhere the
  // window is the one of zeros above the image. Overwrites y_low and x_low.
  __aicore__ inline void SetWindows(const AscendC::LocalTensor<float> &y_low,
                                    const AscendC::LocalTensor<float> &x_low,
                                    const AscendC::LocalTensor<uint8_t> &inside, uint32_t count) {
    constexpr float kAbove = -static_cast<float>(kTaps);
    AscendC::Select(y_low, inside, y_low, kAbove, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Select(x_low, inside, x_low, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    auto windows = Windows();
    const auto column = scratch_.template Get<int32_t>()[3 * located_];
    AscendC::Cast(windows, y_low, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Cast(column, x_low, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Muls(windows, windows, static_cast<int32_t>(layout_.Pitch()), count);
    AscendC::Add(windows, windows, column, count);
  }

  // A plane of floats, one for each position, which Locate overwrites.
  __aicore__ inline AscendC::LocalTensor<float> Scratch() { return scratch_.template Get<float>(); }

  // Weights of tap (i / kTaps, i % kTaps), one for each position of the last Locate. The caller may change or
  // set them.
  __aicore__ inline AscendC::LocalTensor<float> Weight(uint32_t i) {
    return weights_.template Get<float>()[i * located_];
  }

  // The first pixel of each window, y * Pitch() + x. It is negative where a sample does not count.
  __aicore__ inline AscendC::LocalTensor<int32_t> Windows() { return windows_.template Get<int32_t>(); }

  // Copies channels [channel, channel + count) of the windows of samples [first, first + samples). `first` is
  // a multiple of 8, and `samples` is rounded up to one. Only the first `used` samples of each group of
  // `group` samples are copied.
  __aicore__ inline void CopyIn(int64_t image, uint32_t first, uint32_t samples, uint32_t channel,
                                uint32_t count, uint32_t group = 1, uint32_t used = 1) {
    samples_ = RoundUp(samples, kBrcb);
    const auto windows = Windows();
    auto rows = queue_.template AllocTensor<T>();
    const int64_t origin = layout_.Pixel(image, 0, 0) * layout_.pixel + channel;
    for (uint32_t g = 0; g < samples; g += group) {
      const uint32_t end = g + used < samples ? g + used : samples;
      for (uint32_t s = g; s < end; ++s) {
        const int64_t from = origin + static_cast<int64_t>(windows.GetValue(first + s)) * layout_.pixel;
        CopyWindow(rows[s * kTaps * chunk_], from, count);
      }
    }
    queue_.EnQue(rows);
  }

  // Returns the rows of the last CopyIn, in float32.
  __aicore__ inline AscendC::LocalTensor<float> Rows() {
    copied_ = queue_.template DeQue<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      return copied_;
    } else {
      auto rows = wide_.template Get<float>();
      AscendC::Cast(rows, copied_, AscendC::RoundMode::CAST_NONE, samples_ * kCorners * chunk_);
      return rows;
    }
  }

  // Multiplies rows with the weights of their samples. The first of these is sample `first` of the last
  // Locate.
  __aicore__ inline void Weigh(const AscendC::LocalTensor<float> &rows, uint32_t first) {
    auto spread = spread_.template Get<float>();
    for (uint32_t i = 0; i < kCorners; ++i) {
      const uint32_t to = (i / kTaps * samples_ * kTaps + i % kTaps) * kBlock;
      AscendC::Brcb(spread[to], Weight(i)[first], static_cast<uint8_t>(samples_ / kBrcb),
                    {kTaps, static_cast<uint16_t>(kBrcb * kTaps)});
    }
    const uint32_t count = samples_ * kCorners;
    const uint8_t stride = static_cast<uint8_t>(chunk_ / kBlock);
    for (uint32_t r = 0; r < count; r += kMaxRepeats) {
      const uint8_t repeats = static_cast<uint8_t>(count - r < kMaxRepeats ? count - r : kMaxRepeats);
      for (uint32_t c = 0; c < chunk_; c += kRepeat) {
        const uint64_t mask = chunk_ - c < kRepeat ? chunk_ - c : kRepeat;
        const auto part = rows[r * chunk_ + c];
        AscendC::Mul(part, part, spread[r * kBlock], mask, repeats, {1, 1, 0, stride, stride, 1});
      }
    }
  }

  // Returns the rows of the last CopyIn, times their weights.
  __aicore__ inline AscendC::LocalTensor<float> Weighted(uint32_t first) {
    auto rows = Rows();
    Weigh(rows, first);
    return rows;
  }

  __aicore__ inline void Release() { queue_.FreeTensor(copied_); }

  // Elements from row to row: the channels of one pixel of a window.
  __aicore__ inline uint32_t Step() const { return chunk_; }
  // Samples of the last CopyIn, rounded up to a multiple of 8.
  __aicore__ inline uint32_t Samples() const { return samples_; }

 private:
  static constexpr uint32_t kRepeat = 64;  // floats
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
  static constexpr uint32_t kBrcb = 8;  // elements that a repeat of Brcb spreads
  static constexpr uint32_t kMaxRepeats = 248;

  // Bytes from one mask to the other.
  __aicore__ inline uint32_t MaskBytes() const {
    return static_cast<uint32_t>(BilinearPositionsBuffers::MaskBytes(located_));
  }

  // Clamps positions to the image and splits them: sets `low` to the upper or left pixel, and `position` to
  // the weight of the lower or right pixel.
  __aicore__ inline void SplitClamped(const AscendC::LocalTensor<float> &low,
                                      const AscendC::LocalTensor<float> &position,
                                      const AscendC::LocalTensor<float> &scratch, float size,
                                      uint32_t count) {
    AscendC::Maxs(position, position, 0.0f, count);
    AscendC::Mins(position, position, size - 1.0f, count);
    SplitWhole(low, position, scratch, count);
  }

  // Copies the two rows of a window. In UB the lower row lies a plane of samples after the upper row.
  __aicore__ inline void CopyWindow(const AscendC::LocalTensor<T> &to, int64_t from, uint32_t count) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T), kSize = sizeof(T);
    const AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
    const uint32_t plane = samples_ * kTaps * chunk_;
    if (whole_) {
      const uint32_t run = kTaps * chunk_;
      const uint32_t gap = static_cast<uint32_t>(layout_.Pitch() * layout_.pixel - run);
      AscendC::DataCopyPad(to, gm_[from], {kTaps, run * kSize, gap * kSize, (plane - run) / kLane, 0}, pad);
      return;
    }
    for (uint32_t i = 0; i < kTaps; ++i) {
      const AscendC::DataCopyExtParams copy{kTaps, count * kSize, (layout_.pixel - count) * kSize,
                                            (chunk_ - count) / kLane, 0};
      AscendC::DataCopyPad(to[i * plane], gm_[from + i * layout_.Pitch() * layout_.pixel], copy, pad);
    }
  }

  ChannelsLast layout_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> windows_, weights_, scratch_, masks_, spread_, wide_;
  AscendC::GlobalTensor<T> gm_;
  AscendC::LocalTensor<T> copied_;
  uint32_t located_;  // positions from plane to plane of weights
  uint32_t chunk_;    // elements from row to row
  uint32_t samples_;  // of the last CopyIn
  bool whole_;        // whether a chunk has all channels, so that one copy takes a window
};

}  // namespace avo
