// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling: the windows' maxima are found again, element by element of all windows in
// hand, and each window's gradient goes where its maximum is.
#pragma once

#include "max_pool2d_backward_tiling.h"
#include "window_gradients.h"

template <typename T, uint32_t KEY>
class MaxPool2dBackward : avo::WindowGradients<T, MaxPool2dBackwardTiling> {
  using Windows = avo::WindowGradients<T, MaxPool2dBackwardTiling>;
  friend Windows;

 public:
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR input, GM_ADDR out, GM_ADDR,
                              const MaxPool2dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitWindows(grad, out, tiling, pipe);
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(input),
                           tiling.planes * tiling.inRows * tiling.inColumns);
    region_elements_ = (tiling.regionRows * tiling.regionPitch + Windows::kSlack) * kLanes;
    const uint32_t windows = tiling.chunkRows * this->grad_pitch_ + Windows::kSlack;
    pipe->InitBuffer(region_, region_elements_ * sizeof(float));
    pipe->InitBuffer(taps_, windows * Windows::kSlotBytes);
    pipe->InitBuffer(bits_, windows * kLanes / 8 > kRowBits ? windows * kLanes / 8 : kRowBits);
    pipe->InitBuffer(numbers_, kRowBits);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  static constexpr uint32_t kLanes = avo::kLanes, kRepeat = 64, kMaxRepeats = 255;
  static constexpr uint32_t kRowBits = (kMaxRepeats + 1) * kRepeat / 8;
  static constexpr float kLeast = -__builtin_inff();

  // Which element of each window in hand is its maximum.
  __aicore__ inline void Prepare() {
    const auto &t = this->t_;
    const uint32_t row = this->grad_pitch_ * kLanes;
    const auto best = this->shares_.template Get<float>();
    AscendC::Duplicate(best, kLeast, this->chunk_rows_.count * row + Windows::kSlack * kLanes);
    for (int32_t r = 0; r < this->chunk_rows_.count; ++r) StartRow(r);
    AscendC::Duplicate(taps_.template Get<float>()[this->chunk_rows_.count * row], 0.0f,
                       Windows::kSlack * kLanes);
    for (int64_t i = 0; i < t.kernelRows; i += t.tapRows) {
      for (int64_t j = 0; j < t.kernelColumns; j += t.tapColumns) {
        const uint32_t rows = avo::TileExtent(i, t.tapRows, t.kernelRows);
        const uint32_t columns = avo::TileExtent(j, t.tapColumns, t.kernelColumns);
        LoadRegion(i, rows, j, columns);
        for (uint32_t tap = 0; tap < rows * columns; ++tap) OfferTap(i, j, tap / columns, tap % columns);
      }
    }
  }

  // A window starts with its first element inside the image, which leads where all are minus infinity.
  __aicore__ inline void StartRow(int32_t r) {
    const auto &t = this->t_;
    const auto taps = taps_.template Get<float>()[r * this->grad_pitch_ * kLanes];
    const int64_t first =
        First(this->chunk_rows_.begin + r, t.strideRows, t.padRows, t.dilateRows) * t.kernelColumns;
    AscendC::Duplicate(taps, avo::ToFloat(first), this->grad_pitch_ * kLanes);
    for (int32_t x = 0; x < this->chunk_columns_.count; ++x) {
      const int64_t column =
          First(this->chunk_columns_.begin + x, t.strideColumns, t.padColumns, t.dilateColumns);
      if (column == 0) break;
      AscendC::Duplicate(taps[x * kLanes], avo::ToFloat(first + column), kLanes);
    }
  }
  static __aicore__ inline int64_t First(int64_t window, int64_t stride, int64_t pad, int64_t dilate) {
    const int64_t before = pad - window * stride;
    return before > 0 ? (before + dilate - 1) / dilate : 0;
  }

  // The image under elements [i, i + rows) x [j, j + columns) of the windows in hand; minus infinity beyond
  // it.
  __aicore__ inline void LoadRegion(int64_t i, uint32_t rows, int64_t j, uint32_t columns) {
    const auto &t = this->t_;
    const auto region = region_.template Get<float>();
    AscendC::Duplicate(region, kLeast, region_elements_);
    const int64_t row = this->chunk_rows_.begin * t.strideRows - t.padRows + i * t.dilateRows;
    const int64_t column = this->chunk_columns_.begin * t.strideColumns - t.padColumns + j * t.dilateColumns;
    const int64_t row_span = (this->chunk_rows_.count - 1) * t.strideRows + (rows - 1) * t.dilateRows + 1;
    const int64_t column_span =
        (this->chunk_columns_.count - 1) * t.strideColumns + (columns - 1) * t.dilateColumns + 1;
    const avo::Stretch inside_rows = Inside(row, row_span, t.inRows);
    const avo::Stretch inside_columns = Inside(column, column_span, t.inColumns);
    if (inside_rows.count <= 0 || inside_columns.count <= 0) return;
    const uint32_t top = static_cast<uint32_t>(inside_rows.begin - row), left = inside_columns.begin - column;
    this->LoadSlots(region[(top * t.regionPitch + left) * kLanes], t.regionPitch, in_gm_, t.inRows,
                    t.inColumns, inside_rows, inside_columns);
    // Transpositions write whole blocks.
    const uint32_t end = left + inside_columns.count;
    for (int32_t r = 0; r < inside_rows.count && end < column_span; ++r) {
      AscendC::Duplicate(region[((top + r) * t.regionPitch + end) * kLanes], kLeast, kBlock * kLanes);
    }
  }
  static __aicore__ inline avo::Stretch Inside(int64_t begin, int64_t span, int64_t size) {
    const int64_t first = begin < 0 ? 0 : begin, end = begin + span < size ? begin + span : size;
    return {first, static_cast<int32_t>(end - first)};
  }

  // Element (i + down, j + right) of every window in hand, a row of windows at a time.
  __aicore__ inline void OfferTap(int64_t i, int64_t j, uint32_t down, uint32_t right) {
    const auto &t = this->t_;
    const float tap = avo::ToFloat((i + down) * t.kernelColumns + j + right);
    const uint32_t windows = this->chunk_columns_.count;
    const int64_t stride = t.strideColumns * avo::kSlotBlocks;
    for (int32_t r = 0; r < this->chunk_rows_.count; ++r) {
      const uint32_t from =
          (r * t.strideRows + down * t.dilateRows) * t.regionPitch + right * t.dilateColumns;
      const uint32_t to = r * this->grad_pitch_;
      if (t.strideColumns == 1) {
        constexpr uint32_t kSlots = kRepeat / kLanes;
        Offer(from, to, kRepeat, (windows + kSlots - 1) / kSlots, 8, 8, tap);
      } else if (stride <= kMaxRepeats) {
        Offer(from, to, kLanes, windows, static_cast<uint8_t>(stride), avo::kSlotBlocks, tap);
      } else {
        for (uint32_t x = 0; x < windows; ++x)
          Offer(from + x * t.strideColumns, to + x, kLanes, 1, 8, 8, tap);
      }
    }
  }

  // An element leads where it is larger, or NaN.
  __aicore__ inline void Offer(uint32_t from, uint32_t to, uint64_t lanes, uint32_t repeats,
                               uint8_t from_stride, uint8_t to_stride, float tap) {
    const auto key = region_.template Get<float>()[from * kLanes];
    const auto best = this->shares_.template Get<float>()[to * kLanes],
               taps = taps_.template Get<float>()[to * kLanes];
    const auto bits = bits_.template Get<uint16_t>(), numbers = numbers_.template Get<uint16_t>();
    const uint8_t count = static_cast<uint8_t>(repeats);
    AscendC::Compare(bits_.template Get<uint8_t>(), key, best, AscendC::CMPMODE::GT, uint64_t{kRepeat}, count,
                     {1, 1, 1, 8, from_stride, to_stride});
    AscendC::Compare(numbers_.template Get<uint8_t>(), key, key, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                     count, {1, 1, 1, 8, from_stride, from_stride});
    AscendC::Not(bits, bits, repeats * kRepeat / 16);
    AscendC::And(bits, bits, numbers, repeats * kRepeat / 16);
    AscendC::Select(taps, bits, taps, tap, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes, count,
                    {1, 1, 1, to_stride, to_stride, to_stride});
    AscendC::Max(best, best, key, lanes, count, {1, 1, 1, to_stride, to_stride, from_stride});
  }

  __aicore__ inline AscendC::LocalTensor<float> SharesOf(int64_t tap) {
    const auto shares = this->shares_.template Get<float>();
    const uint32_t count = this->chunk_rows_.count * this->grad_pitch_ * kLanes;
    AscendC::CompareScalar(bits_.template Get<uint8_t>(), taps_.template Get<float>(), avo::ToFloat(tap),
                           AscendC::CMPMODE::EQ, count);
    AscendC::Select(shares, bits_.template Get<uint8_t>(), this->grads_.template Get<float>(), 0.0f,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    return shares;
  }

  static constexpr uint32_t kBlock = 8;  // slots that a transposition writes at once

  AscendC::TBuf<AscendC::TPosition::VECCALC> region_, taps_, bits_, numbers_;
  AscendC::GlobalTensor<T> in_gm_;
  uint32_t region_elements_;
};
