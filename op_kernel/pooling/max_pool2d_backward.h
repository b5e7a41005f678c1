// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling. The kernel finds the maximum of each window again: it compares one tap of all
// windows of a chunk at a time, with a few instructions, and keeps which tap is the largest so far. A
// window's gradient goes to that tap.
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
    const uint32_t region_slots = tiling.regionRows * tiling.columnPlanes * tiling.regionPitch;
    region_elements_ = (region_slots + Windows::kSlack) * kLanes;
    const MaxPool2dBackwardBuffers buffers(this->BufferSizes(), region_slots, sizeof(T));
    pipe->InitBuffer(region_, buffers.region.bytes);
    pipe->InitBuffer(taps_, buffers.taps.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  static constexpr uint32_t kLanes = avo::kLanes, kRepeat = 64, kMaxRepeats = 255;
  static constexpr float kLowest = -__builtin_inff();

  // Finds which tap of each window of the chunk is its maximum.
  __aicore__ inline void Prepare() {
    const auto &t = this->t_;
    const uint32_t row = this->grad_pitch_ * kLanes;
    const auto best = this->terms_.template Get<float>();
    AscendC::Duplicate(best, kLowest, this->chunk_rows_.count * row + Windows::kSlack * kLanes);
    for (int32_t r = 0; r < this->chunk_rows_.count; ++r) StartRow(r);
    AscendC::Duplicate(taps_.template Get<float>()[this->chunk_rows_.count * row], 0.0f,
                       Windows::kSlack * kLanes);
    for (int64_t i = 0; i < t.kernelRows; i += t.tapRows) {
      for (int64_t j = 0; j < t.kernelColumns; j += t.tapColumns) {
        const uint32_t rows = avo::TileExtent(i, t.tapRows, t.kernelRows);
        const uint32_t columns = avo::TileExtent(j, t.tapColumns, t.kernelColumns);
        LoadRegion(i, rows, j, columns);
        for (uint32_t tap = 0; tap < rows * columns; ++tap) CompareTap(i, j, tap / columns, tap % columns);
      }
    }
  }

  // Sets the maximum of each window of row `r` to its first tap inside the image, where it stays if all
  // elements of the window are minus infinity.
  __aicore__ inline void StartRow(int32_t r) {
    const auto &t = this->t_;
    const auto taps = taps_.template Get<float>()[r * this->grad_pitch_ * kLanes];
    const int64_t first =
        FirstTap(this->chunk_rows_.begin + r, t.strideRows, t.padRows, t.dilateRows) * t.kernelColumns;
    AscendC::Duplicate(taps, avo::ToFloat(first), this->grad_pitch_ * kLanes);
    for (int32_t x = 0; x < this->chunk_columns_.count; ++x) {
      const int64_t column =
          FirstTap(this->chunk_columns_.begin + x, t.strideColumns, t.padColumns, t.dilateColumns);
      if (column == 0) break;
      AscendC::Duplicate(taps[x * kLanes], avo::ToFloat(first + column), kLanes);
    }
  }
  // The first tap of a window, along an axis, that lies inside the image.
  static __aicore__ inline int64_t FirstTap(int64_t window, int64_t stride, int64_t pad, int64_t dilate) {
    const int64_t before = pad - window * stride;
    return before > 0 ? (before + dilate - 1) / dilate : 0;
  }

  // Loads the image under the taps [i, i + rows) x [j, j + columns) of the chunk's windows. What lies beside
  // the image is minus infinity.
  __aicore__ inline void LoadRegion(int64_t i, uint32_t rows, int64_t j, uint32_t columns) {
    const auto &t = this->t_;
    const auto region = region_.template Get<float>();
    AscendC::Duplicate(region, kLowest, region_elements_);
    const int64_t row = this->chunk_rows_.begin * t.strideRows - t.padRows + i * t.dilateRows;
    const int64_t column = this->chunk_columns_.begin * t.strideColumns - t.padColumns + j * t.dilateColumns;
    const int64_t row_span = (this->chunk_rows_.count - 1) * t.strideRows + (rows - 1) * t.dilateRows + 1;
    const int64_t column_span =
        (this->chunk_columns_.count - 1) * t.strideColumns + (columns - 1) * t.dilateColumns + 1;
    const avo::AxisRange inside_rows = Inside(row, row_span, t.inRows);
    const avo::AxisRange inside_columns = Inside(column, column_span, t.inColumns);
    if (inside_rows.count <= 0 || inside_columns.count <= 0) return;
    const uint32_t top = static_cast<uint32_t>(inside_rows.begin - row), left = inside_columns.begin - column;
    this->LoadSlots(Region(), top, left, in_gm_, t.inRows, t.inColumns, inside_rows, inside_columns);
    // A transposition writes whole data blocks, so it overwrites minus infinity behind the image.
    const uint32_t end = left + inside_columns.count;
    for (int32_t r = 0; r < inside_rows.count && end < column_span; ++r) {
      avo::FillLanes(Region().Row(top + r), end, end + kBlock, kLowest);
    }
  }
  // Positions [begin, begin + span) that lie inside an axis of `size` elements.
  static __aicore__ inline avo::AxisRange Inside(int64_t begin, int64_t span, int64_t size) {
    const int64_t first = begin < 0 ? 0 : begin, end = begin + span < size ? begin + span : size;
    return {first, static_cast<int32_t>(end - first)};
  }

  __aicore__ inline avo::SlotRows Region() {
    const auto &t = this->t_;
    return {region_.template Get<float>(), t.columnPlanes, t.regionPitch, t.rowGroups, t.regionRows};
  }

  // Compares tap (i + down, j + right) of every window of the chunk. The region starts at tap (i, j). Where
  // the columns are dealt out to planes, the slots of this tap follow each other, row by row, as windows do.
  __aicore__ inline void CompareTap(int64_t i, int64_t j, uint32_t down, uint32_t right) {
    const auto &t = this->t_;
    const float tap = avo::ToFloat((i + down) * t.kernelColumns + j + right);
    const auto region = Region();
    const uint32_t row = down * static_cast<uint32_t>(t.dilateRows),
                   column = right * static_cast<uint32_t>(t.dilateColumns);
    if (t.strideColumns == t.columnPlanes) {
      constexpr uint32_t kSlots = kRepeat / kLanes;
      // The last row ends behind its windows, in whole instructions.
      const uint32_t all = (this->chunk_rows_.count - 1) * this->grad_pitch_ +
                           avo::RoundUp(this->chunk_columns_.count, kSlots);
      const uint32_t from = region.Slot(row, column);
      for (uint32_t slot = 0; slot < all; slot += kMaxRepeats * kSlots) {
        const uint32_t slots = avo::MinRemaining(all - slot, kMaxRepeats * kSlots);
        KeepIfLarger(from + slot, slot, kRepeat, slots / kSlots, tap);
      }
      return;
    }
    for (int32_t r = 0; r < this->chunk_rows_.count; ++r) {
      for (int32_t x = 0; x < this->chunk_columns_.count; ++x) {
        const uint32_t from = region.Slot(static_cast<uint32_t>(r * t.strideRows) + row,
                                          static_cast<uint32_t>(x * t.strideColumns) + column);
        KeepIfLarger(from, r * this->grad_pitch_ + x, kLanes, 1, tap);
      }
    }
  }

  // Keeps a tap as the maximum of the windows in which it is larger than the taps before it, or NaN. from:
  // its slot of the first window in the region; to: the slot of that window; lanes, repeats: of the
  // instructions.
  __aicore__ inline void KeepIfLarger(uint32_t from, uint32_t to, uint64_t lanes, uint32_t repeats,
                                      float tap) {
    const auto key = region_.template Get<float>()[from * kLanes];
    const auto best = this->terms_.template Get<float>()[to * kLanes],
               taps = taps_.template Get<float>()[to * kLanes];
    const auto bits = bits_.template Get<uint16_t>(), numbers = numbers_.template Get<uint16_t>();
    const uint8_t count = static_cast<uint8_t>(repeats);
    AscendC::Compare(bits_.template Get<uint8_t>(), key, best, AscendC::CMPMODE::GT, uint64_t{kRepeat}, count,
                     {1, 1, 1, 8, 8, 8});
    AscendC::Compare(numbers_.template Get<uint8_t>(), key, key, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                     count, {1, 1, 1, 8, 8, 8});
    AscendC::Not(bits, bits, repeats * kRepeat / 16);
    AscendC::And(bits, bits, numbers, repeats * kRepeat / 16);
    AscendC::Select(taps, bits, taps, tap, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes, count,
                    {1, 1, 1, 8, 8, 8});
    AscendC::Max(best, best, key, lanes, count, {1, 1, 1, 8, 8, 8});
  }

  __aicore__ inline AscendC::LocalTensor<float> TermsOf(int64_t tap) {
    const auto terms = this->terms_.template Get<float>();
    const uint32_t count = this->chunk_rows_.count * this->grad_pitch_ * kLanes;
    AscendC::CompareScalar(bits_.template Get<uint8_t>(), taps_.template Get<float>(), avo::ToFloat(tap),
                           AscendC::CMPMODE::EQ, count);
    AscendC::Select(terms, bits_.template Get<uint8_t>(), this->grads_.template Get<float>(), 0.0f,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    return terms;
  }

  static constexpr uint32_t kBlock = 8;  // slots that a transposition writes at a time

  AscendC::TBuf<AscendC::TPosition::VECCALC> region_, taps_, bits_, numbers_;
  AscendC::GlobalTensor<T> in_gm_;
  uint32_t region_elements_;  // elements of region_, with the slots behind it
};
