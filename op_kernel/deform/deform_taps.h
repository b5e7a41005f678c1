// SPDX-License-Identifier: Apache-2.0
// Where the taps of deformable convolution read: windows and weights of BilinearRows, from offsets and mask.
// A whole offset is added to the tap's place apart from its fraction, so that weights are exact in any image.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "image_copy.h"

namespace avo {

// Samples out of their corners' rows, as BilinearRows gives them; overwrites the first half of `rows`.
__aicore__ inline void SumCorners(const AscendC::LocalTensor<float> &sums,
                                  const AscendC::LocalTensor<float> &rows, uint32_t samples, uint32_t chunk) {
  constexpr uint32_t kRepeat = 64, kBlock = 8;
  const uint32_t plane = samples * 2 * chunk;
  AscendC::Add(rows, rows, rows[plane], plane);
  const uint8_t step = static_cast<uint8_t>(chunk / kBlock), pair = static_cast<uint8_t>(2 * chunk / kBlock);
  for (uint32_t c = 0; c < chunk; c += kRepeat) {
    const uint64_t mask = Rest(chunk - c, kRepeat);
    AscendC::Add(sums[c], rows[c], rows[chunk + c], mask, static_cast<uint8_t>(samples),
                 {1, 1, 1, step, pair, pair});
  }
}

// One core fills a tensor in GM with ones: sums as products.
template <typename T>
__aicore__ inline void WriteOnes(const AscendC::GlobalTensor<T> &gm, uint32_t count, AscendC::TPipe *pipe) {
  if (AscendC::GetBlockIdx() != 0) return;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
  pipe->InitBuffer(values, count * sizeof(float));
  pipe->InitBuffer(queue, 1, count * sizeof(T));
  auto ones = queue.template AllocTensor<T>();
  if constexpr (sizeof(T) == sizeof(float)) {
    AscendC::Duplicate(ones, 1.0f, count);
  } else {
    AscendC::Duplicate(values.template Get<float>(), 1.0f, count);
    AscendC::Cast(ones, values.template Get<float>(), AscendC::RoundMode::CAST_RINT, count);
  }
  queue.EnQue(ones);
  ones = queue.template DeQue<T>();
  CopyRowsOut(gm, 0, count, ones, count, 1, count);
  queue.FreeTensor(ones);
  pipe->Reset();
}

template <typename T>
class DeformTaps {
 public:
  // Most positions of a SetPositions, and positions times taps of a Locate, a multiple of 64.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR offset, GM_ADDR mask, const ImageCopy &copy, const Tiling &t,
                              uint32_t positions, AscendC::TPipe *pipe) {
    out_columns_ = t.outSize[1];
    positions_ = t.outSize[0] * t.outSize[1];
    taps_ = t.kernel[0] * t.kernel[1];
    all_taps_ = taps_ * t.deformGroups;
    kernel_columns_ = t.kernel[1];
    has_mask_ = t.hasMask != 0;
    located_ = t.located;
    for (uint32_t axis = 0; axis < 2; ++axis) {
      stride_[axis] = t.stride[axis];
      padding_[axis] = t.padding[axis];
      dilation_[axis] = t.dilation[axis];
      size_[axis] = ToFloat(axis == 0 ? copy.height : copy.width);
    }
    const int64_t samples = t.batch * all_taps_ * positions_;
    offset_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(offset), 2 * samples);
    if (has_mask_) mask_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(mask), samples);
    pipe->InitBuffer(queue_, 1, 3 * located_ * sizeof(T));
    pipe->InitBuffer(places_, 3 * positions * sizeof(float));
    pipe->InitBuffer(table_, 6 * located_ * sizeof(float));
    bits_pitch_ = (located_ / 8 + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    pipe->InitBuffer(bits_, 2 * bits_pitch_);
    places_pitch_ = positions;
  }

  // Positions [first, first + count) of the result, which lie Slots() apart from tap to tap.
  __aicore__ inline void SetPositions(int64_t first, uint32_t count) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    constexpr int64_t kLongRow = 4096;  // rows longer than this are left at most once
    first_ = first;
    count_ = count;
    slots_ = (count + kLane - 1) / kLane * kLane;
    auto rows = Place(0), columns = Place(1);
    const auto left = Place(2);
    const auto whole = left.template ReinterpretCast<int32_t>();
    const int64_t y = first / out_columns_, x = first % out_columns_;
    const int64_t width = out_columns_ < kLongRow ? out_columns_ : kLongRow;
    const int64_t rest = out_columns_ - x < width ? out_columns_ - x : width;
    AscendC::CreateVecIndex(columns, 0.0f, slots_);
    // By how many rows a position lies below the first.
    AscendC::Adds(rows, columns, ToFloat(width - rest) + 0.5f, slots_);
    AscendC::Muls(rows, rows, 1.0f / ToFloat(width), slots_);
    AscendC::Cast(whole, rows, AscendC::RoundMode::CAST_FLOOR, slots_);
    AscendC::Cast(rows, whole, AscendC::RoundMode::CAST_NONE, slots_);
    AscendC::Muls(left, rows, ToFloat(-out_columns_ * stride_[1]), slots_);
    AscendC::Muls(columns, columns, ToFloat(stride_[1]), slots_);
    AscendC::Add(columns, columns, left, slots_);
    AscendC::Adds(columns, columns, ToFloat(x * stride_[1] - padding_[1]), slots_);
    AscendC::Muls(rows, rows, ToFloat(stride_[0]), slots_);
    AscendC::Adds(rows, rows, ToFloat(y * stride_[0] - padding_[0]), slots_);
  }

  __aicore__ inline uint32_t Slots() const { return slots_; }
  // Taps of all deform groups that a Locate takes.
  __aicore__ inline uint32_t TapsAtOnce() const { return located_ / slots_; }

  // Taps [tap, tap + count) of all deform groups of image n; weights hold the mask.
  template <typename Rows>
  __aicore__ inline void Locate(Rows &rows, int64_t n, int64_t tap, uint32_t count) {
    const uint32_t all = Load(n, tap, count);
    const auto y_low = Table(3), x_low = Table(4);
    Split(0, y_low, tap, count, all);
    Split(1, x_low, tap, count, all);

    // A sample counts where -1 < position < size along both axes; none with NaN does.
    auto bits = bits_.template Get<uint8_t>();
    const auto other = bits[bits_pitch_];
    const auto position = Table(5);
    AscendC::Add(position, y_low, Fraction(0), all);
    AscendC::CompareScalar(bits, position, -1.0f, AscendC::CMPMODE::GT, all);
    AscendC::Add(position, x_low, Fraction(1), all);
    KeepBits(bits, other, position, -1.0f, AscendC::CMPMODE::GT, all);
    KeepBits(bits, other, y_low, size_[0], AscendC::CMPMODE::LT, all);
    KeepBits(bits, other, x_low, size_[1], AscendC::CMPMODE::LT, all);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      AscendC::Select(Fraction(axis), bits, Fraction(axis), 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                      all);
    }
    rows.SetWindows(y_low, x_low, bits, all);
    const auto below = Table(3), above = Table(4), x = ColumnFraction();
    AscendC::Mul(below, RowFraction(), Mask(), all);
    AscendC::Sub(above, Mask(), below, all);
    AscendC::Mul(rows.Weight(3), below, x, all);
    AscendC::Sub(rows.Weight(2), below, rows.Weight(3), all);
    AscendC::Mul(rows.Weight(1), above, x, all);
    AscendC::Sub(rows.Weight(0), above, rows.Weight(1), all);
  }

  // Of the last Locate: by how much samples lie below and to the right of their windows' first pixels, the
  // mask, and tables that are free.
  __aicore__ inline AscendC::LocalTensor<float> RowFraction() { return Table(0); }
  __aicore__ inline AscendC::LocalTensor<float> ColumnFraction() { return Table(1); }
  __aicore__ inline AscendC::LocalTensor<float> Mask() { return Table(2); }
  __aicore__ inline AscendC::LocalTensor<float> Free(uint32_t i) { return Table(3 + i); }

 private:
  __aicore__ inline AscendC::LocalTensor<float> Place(uint32_t i) {
    return places_.template Get<float>()[i * places_pitch_];
  }
  __aicore__ inline AscendC::LocalTensor<float> Table(uint32_t i) {
    return table_.template Get<float>()[i * located_];
  }
  __aicore__ inline AscendC::LocalTensor<float> Fraction(uint32_t axis) { return Table(axis); }

  // Offsets and mask as float32; returns how many of each, rounded up to a repeat, which zeros fill.
  __aicore__ inline uint32_t Load(int64_t n, int64_t tap, uint32_t count) {
    constexpr uint32_t kRepeat = 64;
    const uint32_t used = count * slots_, all = (used + kRepeat - 1) / kRepeat * kRepeat;
    const int64_t from = (n * all_taps_ + tap) * positions_;
    auto raw = queue_.template AllocTensor<T>();
    for (uint32_t axis = 0; axis < 2; ++axis) {
      Rows(raw[axis * located_], offset_gm_, 2 * from + axis * positions_ + first_, 2 * positions_, count);
    }
    if (has_mask_) Rows(raw[2 * located_], mask_gm_, from + first_, positions_, count);
    queue_.EnQue(raw);
    raw = queue_.template DeQue<T>();
    for (uint32_t i = 0; i < 3; ++i) {
      if (i == 2 && !has_mask_) {
        AscendC::Duplicate(Mask(), 1.0f, all);
        break;
      }
      AscendC::Duplicate(Table(i)[all - kRepeat], 0.0f, kRepeat);
      if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::Adds(Table(i), raw[i * located_], 0.0f, used);
      } else {
        AscendC::Cast(Table(i), raw[i * located_], AscendC::RoundMode::CAST_NONE, used);
      }
    }
    queue_.FreeTensor(raw);
    return all;
  }

  // `count` rows of positions, `step` elements apart.
  __aicore__ inline void Rows(const AscendC::LocalTensor<T> &to, const AscendC::GlobalTensor<T> &gm,
                              int64_t from, int64_t step, uint32_t count) {
    CopyPlanesIn(to, slots_, gm, from, step, count, count_);
  }

  // Offsets along an axis become fractions, and lower neighbours `low`.
  __aicore__ inline void Split(uint32_t axis, const AscendC::LocalTensor<float> &low, int64_t tap,
                               uint32_t count, uint32_t all) {
    SplitWhole(low, Fraction(axis), Table(5), all);
    for (uint32_t t = 0; t < count; ++t) {
      const int64_t k = (tap + t) % taps_;
      const int64_t moved = (axis == 0 ? k / kernel_columns_ : k % kernel_columns_) * dilation_[axis];
      AscendC::Add(low[t * slots_], low[t * slots_], Place(axis), slots_);
      if (moved != 0) AscendC::Adds(low[t * slots_], low[t * slots_], ToFloat(moved), slots_);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> places_, table_, bits_;
  AscendC::GlobalTensor<T> offset_gm_, mask_gm_;
  int64_t out_columns_, positions_, taps_, all_taps_, kernel_columns_;
  int64_t stride_[2], padding_[2], dilation_[2];
  float size_[2];
  uint32_t located_, places_pitch_, bits_pitch_;
  bool has_mask_;
  // The positions in hand.
  int64_t first_;
  uint32_t count_, slots_;
};

}  // namespace avo
