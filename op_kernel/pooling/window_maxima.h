// SPDX-License-Identifier: Apache-2.0
// The maximum of each window of a chunk and its tap. The lanes are sixteen planes (plane_slots.h). One tap of
// all windows is compared at a time, with a few instructions; the largest so far and which tap it is are
// kept. Columns of the image are dealt out to planes, so that the slots of one tap follow each other as
// windows do (window_gradients.h has a drawing).
#pragma once

#include "plane_slots.h"
#include "window_maxima_buffers.h"

namespace avo {

// Tiling has the windows' geometry, and from `chunkRows` on what states a chunk (MaxPool2dBackwardTiling).
template <typename T, typename Tiling>
class WindowMaxima {
 public:
  // A tap is known by a number, i * row_step + j * column_step modulo 2^32 for tap (i, j).
  __aicore__ inline void Init(GM_ADDR in, uint32_t row_step, uint32_t column_step, const Tiling &tiling,
                              const WindowMaximaBuffers &buffers, AscendC::TPipe *pipe) {
    t_ = tiling;
    row_step_ = row_step;
    column_step_ = column_step;
    in_ = {{}, t_.inRows, t_.inColumns};
    in_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.planes * t_.inRows * t_.inColumns);
    region_elements_ = (t_.regionRows * t_.columnPlanes * t_.regionPitch + kSlack) * kLanes;
    pipe->InitBuffer(region_, buffers.region.bytes);
    pipe->InitBuffer(taps_, buffers.taps.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
  }

  // Finds the maxima of a chunk of windows, in the planes of `slots`. best: a slot for each window.
  __aicore__ inline void Find(const AxisRange &rows, const AxisRange &columns, PlaneSlots &slots,
                              const AscendC::LocalTensor<float> &best) {
    rows_ = rows;
    columns_ = columns;
    best_ = best;
    const uint32_t row = t_.chunkPitch * kLanes;
    AscendC::Duplicate(best_, kLowest, rows.count * row + kSlack * kLanes);
    for (int32_t r = 0; r < rows.count; ++r) StartRow(r);
    AscendC::Duplicate(Taps()[rows.count * row], 0, kSlack * kLanes);
    for (int64_t i = 0; i < t_.kernelRows; i += t_.tapRows) {
      for (int64_t j = 0; j < t_.kernelColumns; j += t_.tapColumns) {
        const uint32_t tap_rows = TileExtent(i, t_.tapRows, t_.kernelRows);
        const uint32_t tap_columns = TileExtent(j, t_.tapColumns, t_.kernelColumns);
        LoadRegion(i, tap_rows, j, tap_columns, slots);
        for (uint32_t tap = 0; tap < tap_rows * tap_columns; ++tap) {
          CompareTap(i, j, tap / tap_columns, tap % tap_columns);
        }
      }
    }
  }

  __aicore__ inline int32_t NumberOf(int64_t i, int64_t j) const {
    return static_cast<int32_t>(static_cast<uint32_t>(i) * row_step_ +
                                static_cast<uint32_t>(j) * column_step_);
  }
  // The number of the tap of each window that is its maximum: a slot for each window.
  __aicore__ inline AscendC::LocalTensor<int32_t> Taps() { return taps_.Get<int32_t>(); }
  // Room for a bit for each lane of a chunk of windows.
  __aicore__ inline AscendC::LocalTensor<uint8_t> Bits() { return bits_.Get<uint8_t>(); }

  // The first tap of a window, along an axis, that lies inside the image or behind it.
  static __aicore__ inline int64_t FirstTap(int64_t window, int64_t stride, int64_t pad, int64_t dilate) {
    const int64_t before = pad - window * stride;
    return before > 0 ? (before + dilate - 1) / dilate : 0;
  }

 private:
  static constexpr uint32_t kRepeat = 64, kMaxRepeats = 255;
  static constexpr uint32_t kSlack = WindowMaximaBuffers::kSlack;
  static constexpr uint32_t kBlock = 8;  // slots that a transposition writes at a time
  static constexpr float kLowest = -__builtin_inff();

  // Sets the maximum of each window of row `r` to its first tap inside the image, where it stays if all
  // elements of the window are minus infinity.
  __aicore__ inline void StartRow(int32_t r) {
    const auto taps = Taps()[r * t_.chunkPitch * kLanes];
    const int64_t first = FirstTap(rows_.begin + r, t_.strideRows, t_.padRows, t_.dilateRows);
    AscendC::Duplicate(taps, NumberOf(first, 0), t_.chunkPitch * kLanes);
    for (int32_t x = 0; x < columns_.count; ++x) {
      const int64_t column = FirstTap(columns_.begin + x, t_.strideColumns, t_.padColumns, t_.dilateColumns);
      if (column == 0) break;
      AscendC::Duplicate(taps[x * kLanes], NumberOf(first, column), kLanes);
    }
  }

  // Loads the image under the taps [i, i + rows) x [j, j + columns) of the chunk's windows. What lies beside
  // the image is minus infinity.
  __aicore__ inline void LoadRegion(int64_t i, uint32_t rows, int64_t j, uint32_t columns,
                                    PlaneSlots &slots) {
    const auto region = Region();
    AscendC::Duplicate(region.slots, kLowest, region_elements_);
    const int64_t row = rows_.begin * t_.strideRows - t_.padRows + i * t_.dilateRows;
    const int64_t column = columns_.begin * t_.strideColumns - t_.padColumns + j * t_.dilateColumns;
    const int64_t row_span = (rows_.count - 1) * t_.strideRows + (rows - 1) * t_.dilateRows + 1;
    const int64_t column_span =
        (columns_.count - 1) * t_.strideColumns + (columns - 1) * t_.dilateColumns + 1;
    const AxisRange inside_rows = Inside(row, row_span, t_.inRows);
    const AxisRange inside_columns = Inside(column, column_span, t_.inColumns);
    if (inside_rows.count <= 0 || inside_columns.count <= 0) return;
    const uint32_t top = static_cast<uint32_t>(inside_rows.begin - row), left = inside_columns.begin - column;
    slots.Load(region, top, left, in_, inside_rows, inside_columns);
    // A transposition writes whole data blocks, so it overwrites minus infinity behind the image.
    const uint32_t end = left + inside_columns.count;
    for (int32_t r = 0; r < inside_rows.count && end < column_span; ++r) {
      FillLanes(region.Row(top + r), end, end + kBlock, kLowest);
    }
  }
  // Positions [begin, begin + span) that lie inside an axis of `size` elements.
  static __aicore__ inline AxisRange Inside(int64_t begin, int64_t span, int64_t size) {
    const int64_t first = begin < 0 ? 0 : begin, end = begin + span < size ? begin + span : size;
    return {first, static_cast<int32_t>(end - first)};
  }

  __aicore__ inline SlotRows Region() {
    return {region_.Get<float>(), t_.columnPlanes, t_.regionPitch, t_.rowGroups, t_.regionRows};
  }

  // Compares tap (i + down, j + right) of every window of the chunk. The region starts at tap (i, j). Where
  // the columns are dealt out to planes, the slots of this tap follow each other, row by row, as windows do.
  __aicore__ inline void CompareTap(int64_t i, int64_t j, uint32_t down, uint32_t right) {
    const int32_t tap = NumberOf(i + down, j + right);
    const auto region = Region();
    const uint32_t row = down * static_cast<uint32_t>(t_.dilateRows),
                   column = right * static_cast<uint32_t>(t_.dilateColumns);
    if (t_.strideColumns == t_.columnPlanes) {
      constexpr uint32_t kSlots = kRepeat / kLanes;
      // The last row ends behind its windows, in whole instructions.
      const uint32_t all = (rows_.count - 1) * t_.chunkPitch + RoundUp(columns_.count, kSlots);
      const uint32_t from = region.Slot(row, column);
      for (uint32_t slot = 0; slot < all; slot += kMaxRepeats * kSlots) {
        const uint32_t slots = MinRemaining(all - slot, kMaxRepeats * kSlots);
        KeepIfLarger(from + slot, slot, kRepeat, slots / kSlots, tap);
      }
      return;
    }
    for (int32_t r = 0; r < rows_.count; ++r) {
      for (int32_t x = 0; x < columns_.count; ++x) {
        const uint32_t from = region.Slot(static_cast<uint32_t>(r * t_.strideRows) + row,
                                          static_cast<uint32_t>(x * t_.strideColumns) + column);
        KeepIfLarger(from, r * t_.chunkPitch + x, kLanes, 1, tap);
      }
    }
  }

  // Keeps a tap as the maximum of the windows in which it is larger than the taps before it, or NaN. from:
  // its slot of the first window in the region; to: the slot of that window; lanes, repeats: of the
  // instructions.
  __aicore__ inline void KeepIfLarger(uint32_t from, uint32_t to, uint64_t lanes, uint32_t repeats,
                                      int32_t tap) {
    const auto key = region_.Get<float>()[from * kLanes], best = best_[to * kLanes];
    const auto taps = taps_.Get<float>()[to * kLanes];
    const auto bits = bits_.Get<uint16_t>(), numbers = numbers_.Get<uint16_t>();
    const uint8_t count = static_cast<uint8_t>(repeats);
    AscendC::Compare(bits_.Get<uint8_t>(), key, best, AscendC::CMPMODE::GT, uint64_t{kRepeat}, count,
                     {1, 1, 1, 8, 8, 8});
    AscendC::Compare(numbers_.Get<uint8_t>(), key, key, AscendC::CMPMODE::EQ, uint64_t{kRepeat}, count,
                     {1, 1, 1, 8, 8, 8});
    AscendC::Not(bits, bits, repeats * kRepeat / 16);
    AscendC::And(bits, bits, numbers, repeats * kRepeat / 16);
    AscendC::Select(taps, bits, taps, FloatWithBits(tap), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes,
                    count, {1, 1, 1, 8, 8, 8});
    AscendC::Max(best, best, key, lanes, count, {1, 1, 1, 8, 8, 8});
  }

  Tiling t_;
  uint32_t row_step_, column_step_;
  PlanesOf<T> in_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> region_, taps_, bits_, numbers_;
  uint32_t region_elements_;  // elements of region_, with the slots behind it
  // The chunk of windows whose maxima are found.
  AxisRange rows_, columns_;
  AscendC::LocalTensor<float> best_;
};

}  // namespace avo
