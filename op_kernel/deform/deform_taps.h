// SPDX-License-Identifier: Apache-2.0
// Where the taps of deformable convolution read. DeformTaps computes windows and weights for BilinearRows
// from offsets and mask.
//
// A vector core handles half a band of positions at a time, and several taps at once. In UB the samples of a
// tap lie side by side, and its neighbour starts Slots() elements later:
//
//   tap 0: p0 p1 p2 … | tap 1: p0 p1 p2 … | …       one plane of `located` elements
//
// An offset is split into its whole part and its fraction. The whole part is added to the place of the tap in
// whole numbers, so that the weights are exact in an image of any size.
#pragma once

#include "../common/copies/image_copy.h"
#include "../common/sampling/bilinear_rows.h"
#include "deform_taps_buffers.h"

namespace avo {

// Adds up the four weighted corners of each sample. `rows` is what BilinearRows::Weighted returns for
// `samples` samples; its first half is overwritten. sums: (samples, chunk).
__aicore__ inline void SumCorners(const AscendC::LocalTensor<float> &sums,
                                  const AscendC::LocalTensor<float> &rows, uint32_t samples, uint32_t chunk) {
  constexpr uint32_t kRepeat = 64, kBlock = 8;
  const uint32_t plane = samples * 2 * chunk;
  AscendC::Add(rows, rows, rows[plane], plane);
  const uint8_t step = static_cast<uint8_t>(chunk / kBlock), pair = static_cast<uint8_t>(2 * chunk / kBlock);
  for (uint32_t c = 0; c < chunk; c += kRepeat) {
    const uint64_t mask = MinRemaining(chunk - c, kRepeat);
    AscendC::Add(sums[c], rows[c], rows[chunk + c], mask, static_cast<uint8_t>(samples),
                 {1, 1, 1, step, pair, pair});
  }
}

// Fills `count` elements of GM with ones; one core does it. A product with a row of ones is a sum.
template <typename T>
__aicore__ inline void WriteOnes(const AscendC::GlobalTensor<T> &gm, uint32_t count, AscendC::TPipe *pipe) {
  if (AscendC::GetBlockIdx() != 0) return;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
  const WriteOnesBuffers buffers(count, sizeof(T));
  pipe->InitBuffer(values, buffers.values.bytes);
  pipe->InitBuffer(queue, buffers.ones.count, buffers.ones.bytes);
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
  ReleaseBuffers(pipe);
}

template <typename T>
class DeformTaps {
 public:
  // offset: (batch, deform groups, taps, 2, positions); mask: (batch, deform groups, taps, positions), or
  // none. Takes DeformTapsBuffers of the Unified Buffer.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR offset, GM_ADDR mask, const ImageCopy &copy, const Tiling &t,
                              AscendC::TPipe *pipe) {
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
    const DeformTapsBuffers buffers(t.band, located_, sizeof(T));
    pipe->InitBuffer(queue_, buffers.offsets.count, buffers.offsets.bytes);
    pipe->InitBuffer(starts_, buffers.starts.bytes);
    pipe->InitBuffer(table_, buffers.table.bytes);
    pipe->InitBuffer(masks_, buffers.masks.bytes);
    mask_pitch_ = static_cast<uint32_t>(DeformTapsBuffers::MaskBytes(located_));
    starts_pitch_ = t.band / 2;
  }

  // Chooses positions [first, first + count) of the result, at most half a band, for the calls of Locate that
  // follow. Computes where the windows of these positions start in the image.
  __aicore__ inline void SetPositions(int64_t first, uint32_t count) {
    constexpr uint32_t kLane = kBlockBytes / sizeof(T);
    // Rows that are longer than this count as this long: half a band is far shorter, so it reaches into at
    // most one more row of them.
    constexpr int64_t kLongRow = 4096;
    first_ = first;
    count_ = count;
    slots_ = (count + kLane - 1) / kLane * kLane;
    auto rows = Start(0), columns = Start(1);
    const auto left = Start(2);
    const auto whole = left.template ReinterpretCast<int32_t>();
    const int64_t y = first / out_columns_, x = first % out_columns_;
    const int64_t width = out_columns_ < kLongRow ? out_columns_ : kLongRow;
    const int64_t in_row = out_columns_ - x < width ? out_columns_ - x : width;  // positions of the first row
    AscendC::CreateVecIndex(columns, 0.0f, slots_);
    // Position i lies floor((i + width - in_row + 0.5) / width) rows below the first one.
    AscendC::Adds(rows, columns, ToFloat(width - in_row) + 0.5f, slots_);
    AscendC::Muls(rows, rows, 1.0f / ToFloat(width), slots_);
    AscendC::Cast(whole, rows, AscendC::RoundMode::CAST_FLOOR, slots_);
    AscendC::Cast(rows, whole, AscendC::RoundMode::CAST_NONE, slots_);
    // Columns are counted before they are multiplied, so that no product is larger than the place of a
    // window.
    AscendC::Muls(left, rows, ToFloat(-out_columns_), slots_);
    AscendC::Add(columns, columns, left, slots_);
    AscendC::Muls(columns, columns, ToFloat(stride_[1]), slots_);
    AscendC::Adds(columns, columns, ToFloat(x * stride_[1] - padding_[1]), slots_);
    AscendC::Muls(rows, rows, ToFloat(stride_[0]), slots_);
    AscendC::Adds(rows, rows, ToFloat(y * stride_[0] - padding_[0]), slots_);
  }

  // Elements from the samples of one tap to those of the next, in all planes.
  __aicore__ inline uint32_t Slots() const { return slots_; }
  // Most taps of a Locate.
  __aicore__ inline uint32_t TapsAtOnce() const { return located_ / slots_; }

  // Finds windows and weights of taps [tap, tap + count) of image n, for the chosen positions. Taps are
  // counted through all deform groups. Weights include the mask. The table has these planes of samples:
  //   0, 1  row and column fraction
  //   2     mask
  //   3, 4  first row and column of the window, then scratch
  //   5     scratch
  template <typename Rows>
  __aicore__ inline void Locate(Rows &rows, int64_t n, int64_t tap, uint32_t count) {
    const uint32_t all = Load(n, tap, count);
    const auto y_low = Table(3), x_low = Table(4);
    Split(0, y_low, tap, count, all);
    Split(1, x_low, tap, count, all);

    // A sample counts where -1 < position < size along both axes. A position that is NaN does not count.
    auto bits = masks_.template Get<uint8_t>();
    const auto other = bits[mask_pitch_];
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

  // Results of the last Locate, one for each sample: how far it lies below and to the right of the first
  // pixel of its window, and its mask. Free(0) to Free(2) are planes that the caller may overwrite.
  __aicore__ inline AscendC::LocalTensor<float> RowFraction() { return Table(0); }
  __aicore__ inline AscendC::LocalTensor<float> ColumnFraction() { return Table(1); }
  __aicore__ inline AscendC::LocalTensor<float> Mask() { return Table(2); }
  __aicore__ inline AscendC::LocalTensor<float> Free(uint32_t i) { return Table(3 + i); }

 private:
  // Rows (0) and columns (1) at which the windows of the chosen positions start; 2 is scratch.
  __aicore__ inline AscendC::LocalTensor<float> Start(uint32_t i) {
    return starts_.template Get<float>()[i * starts_pitch_];
  }
  __aicore__ inline AscendC::LocalTensor<float> Table(uint32_t i) {
    return table_.template Get<float>()[i * located_];
  }
  __aicore__ inline AscendC::LocalTensor<float> Fraction(uint32_t axis) { return Table(axis); }

  // Loads offsets and mask of `count` taps into planes 0 to 2 of the table, as float32. Zeros fill the last
  // repeat. Returns the elements of each plane, in whole repeats.
  __aicore__ inline uint32_t Load(int64_t n, int64_t tap, uint32_t count) {
    constexpr uint32_t kRepeat = 64;
    const uint32_t used = count * slots_, all = (used + kRepeat - 1) / kRepeat * kRepeat;
    const int64_t from = (n * all_taps_ + tap) * positions_;
    auto raw = queue_.template AllocTensor<T>();
    for (uint32_t axis = 0; axis < 2; ++axis) {
      CopyRowsIn(raw[axis * located_], slots_, offset_gm_, 2 * from + axis * positions_ + first_,
                 2 * positions_, count, count_);
    }
    if (has_mask_) {
      CopyRowsIn(raw[2 * located_], slots_, mask_gm_, from + first_, positions_, count, count_);
    }
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

  // Replaces the offsets along an axis by their fractions. Sets `low` to the row or column of the pixel at or
  // before each sample.
  __aicore__ inline void Split(uint32_t axis, const AscendC::LocalTensor<float> &low, int64_t tap,
                               uint32_t count, uint32_t all) {
    SplitWhole(low, Fraction(axis), Table(5), all);
    for (uint32_t t = 0; t < count; ++t) {
      const int64_t k = (tap + t) % taps_;
      const int64_t moved = (axis == 0 ? k / kernel_columns_ : k % kernel_columns_) * dilation_[axis];
      AscendC::Add(low[t * slots_], low[t * slots_], Start(axis), slots_);
      if (moved != 0) AscendC::Adds(low[t * slots_], low[t * slots_], ToFloat(moved), slots_);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> starts_, table_, masks_;
  AscendC::GlobalTensor<T> offset_gm_, mask_gm_;
  int64_t out_columns_, positions_, taps_, all_taps_, kernel_columns_;
  int64_t stride_[2], padding_[2], dilation_[2];
  float size_[2];                                 // rows and columns of the image
  uint32_t located_, starts_pitch_, mask_pitch_;  // from plane to plane: elements, elements, bytes
  bool has_mask_;
  // The chosen positions.
  int64_t first_;
  uint32_t count_, slots_;
};

}  // namespace avo
