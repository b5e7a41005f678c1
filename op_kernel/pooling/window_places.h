// SPDX-License-Identifier: Apache-2.0
// Where elements of windows lie in their plane: row * columns + column, in int32. The place of tap (i, j) is
// where its window begins and i * dilation * columns + j * dilation beyond that.
//
//   3 x 3 windows, stride 2, padding 1, of rows of 7 elements
//
//   window (1, 2) begins at row 1, column 3     1 * 7 + 3 = 10
//   its tap (2, 1) is in row 3, column 4        10 + 2 * 7 + 1 = 25
//
// A window may begin before the image, and far before it where the padding is large. So places are computed
// modulo 2^32: those of elements are below 2^31.
#pragma once

#include "plane_slots.h"

namespace avo {

// The lower 32 bits of a place.
__aicore__ inline int32_t LowPlace(int64_t place) {
  return static_cast<int32_t>(static_cast<uint32_t>(place));
}

// The place of tap (i, j), counted from where its window begins.
template <typename Tiling>
__aicore__ inline int32_t TapPlace(const Tiling &t, int64_t i, int64_t j) {
  return LowPlace(i * t.dilateRows * t.inColumns + j * t.dilateColumns);
}

// Adds to slots of windows, or subtracts from them, where each window begins.
template <typename Tiling>
class WindowPlaces {
 public:
  // bytes: of a slot for each window of a row of a chunk.
  __aicore__ inline void Init(const Tiling &tiling, uint64_t bytes, AscendC::TPipe *pipe) {
    t_ = tiling;
    pipe->InitBuffer(across_, bytes);
    for (uint32_t x = 0; x < t_.chunkPitch; ++x) {
      AscendC::Duplicate(Across()[x * kLanes], LowPlace(x * t_.strideColumns), kLanes);
    }
  }

  // Makes places in the plane of places in windows. slots: t.chunkPitch of them for each row.
  __aicore__ inline void Add(const AscendC::LocalTensor<int32_t> &slots, const AxisRange &rows,
                             const AxisRange &columns) {
    for (int32_t r = 0; r < rows.count; ++r) {
      const auto row = slots[r * Lanes()];
      AscendC::Adds(row, row, LowPlace(Begin(rows.begin + r, columns.begin)), Lanes());
      AscendC::Add(row, row, Across(), Lanes());
    }
  }
  // Makes places in windows of places in the plane.
  __aicore__ inline void Subtract(const AscendC::LocalTensor<int32_t> &slots, const AxisRange &rows,
                                  const AxisRange &columns) {
    for (int32_t r = 0; r < rows.count; ++r) {
      const auto row = slots[r * Lanes()];
      AscendC::Adds(row, row, LowPlace(-Begin(rows.begin + r, columns.begin)), Lanes());
      AscendC::Sub(row, row, Across(), Lanes());
    }
  }

 private:
  // Where a window begins.
  __aicore__ inline int64_t Begin(int64_t row, int64_t column) const {
    return (row * t_.strideRows - t_.padRows) * t_.inColumns + column * t_.strideColumns - t_.padColumns;
  }
  // Lanes of a row of slots.
  __aicore__ inline int32_t Lanes() const { return static_cast<int32_t>(t_.chunkPitch * kLanes); }
  // Where the windows of a row begin, counted from the first one.
  __aicore__ inline AscendC::LocalTensor<int32_t> Across() { return across_.Get<int32_t>(); }

  Tiling t_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> across_;
};

}  // namespace avo
