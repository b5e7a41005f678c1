// SPDX-License-Identifier: Apache-2.0
// The window walk of pooling: windows are separable, so rows are combined first, as they lie in memory, and
// only the combined ones are turned into lanes, where a step along the row is an address. Memory-bound, no
// workspace, no scalar access to elements.
#pragma once

#include "lanes.h"
#include "window_borders.h"

namespace avo {

// What a stretch of windows along one axis reads: inputs [begin, begin + count), the first of them `before`
// positions behind the first window's start.
struct WindowInputs {
  int64_t begin;
  int32_t count;  // not above 0: padding alone
  uint32_t before;
  uint32_t span;  // positions from the first window's start to the last one's end
};

__aicore__ inline WindowInputs InputsOf(int64_t start, int64_t span, int64_t size) {
  const int64_t begin = start < 0 ? 0 : start, end = start + span < size ? start + span : size;
  return {begin, static_cast<int32_t>(end - begin), static_cast<uint32_t>(begin - start),
          static_cast<uint32_t>(span)};
}

// Op: Identity(), Combine(dst, a, b, …) as AscendC's binary instructions; where kMean, windows are sums that
// the tiling's `scale`, `borders` and `includePad` make means.
template <typename T, typename Op, typename Tiling>
class PoolWindows {
 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.planes * t_.inRows * t_.inColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.outRows * t_.outColumns);
    const uint32_t rows = t_.tilePlanes * t_.tileRows;
    const uint32_t positions = RoundUp(t_.tileColumns, kRowPositions);
    pipe->InitBuffer(in_queue_, 2, t_.inElements * sizeof(T));
    pipe->InitBuffer(out_queue_, 2, RoundUp(rows, kLanes) * t_.outPitch * sizeof(T));
    pipe->InitBuffer(combined_, rows * t_.rowPitch * sizeof(float));
    pipe->InitBuffer(lanes_, t_.lanePlanes * t_.lanePitch * kLanes * sizeof(float));
    pipe->InitBuffer(results_, positions * kLanes * sizeof(float));
    if constexpr (Op::kMean) pipe->InitBuffer(factors_, 256);
    if constexpr (sizeof(T) != sizeof(float)) {
      pipe->InitBuffer(wide_, t_.inElements * sizeof(float));
      pipe->InitBuffer(staging_, positions * kLanes * sizeof(T));
    }
  }

  __aicore__ inline void Process() {
    const Share share = CoreShare(t_.planeGroups * t_.rowTiles * t_.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      column_ = item % t_.columnTiles * t_.tileColumns;
      columns_ = Part(column_, t_.tileColumns, t_.outColumns);
      row_ = item / t_.columnTiles % t_.rowTiles * t_.tileRows;
      rows_ = Part(row_, t_.tileRows, t_.outRows);
      plane_ = item / t_.columnTiles / t_.rowTiles * t_.tilePlanes;
      planes_ = Part(plane_, t_.tilePlanes, t_.planes);
      Compute();
    }
  }

 private:
  // Windows too large for UB come in pieces; each adds to the results, of 16 rows then.
  __aicore__ inline void Compute() {
    const LanePlanes results{results_.template Get<float>(), 1, 0};
    auto staging = sizeof(T) == sizeof(float) ? AscendC::LocalTensor<T>() : staging_.template Get<T>();
    auto out = out_queue_.template AllocTensor<T>();
    const uint32_t rows = planes_ * rows_, positions = RoundUp(columns_, kRowPositions);
    for (int64_t tap = 0; tap < t_.kernelColumns; tap += t_.tapColumns) {
      const uint32_t taps = Part(tap, t_.tapColumns, t_.kernelColumns);
      const WindowInputs from =
          InputsOf(column_ * t_.strideColumns - t_.padColumns + tap * t_.dilateColumns,
                   static_cast<int64_t>(columns_ - 1) * t_.strideColumns + (taps - 1) * t_.dilateColumns + 1,
                   t_.inColumns);
      if (from.count > 0) CombineRows(from);
      for (uint32_t row = 0; row < rows; row += kLanes) {
        if (tap == 0) FillLanes(results, 0, positions, Op::Identity());
        if (from.count > 0) CombineColumns(results, row, rows, from, taps);
        if (tap + taps < t_.kernelColumns) continue;
        if constexpr (Op::kMean) this->Scale(results, row, rows);
        LanesToRows(out[row * t_.outPitch], t_.outPitch, results, 0, columns_, staging);
      }
    }
    CopyOut(out);
  }

  // Row planes_ * rows_ of windows: the tile's input rows, combined over the rows of each window.
  __aicore__ inline void CombineRows(const WindowInputs &columns) {
    auto combined = combined_.template Get<float>();
    AscendC::Duplicate(combined, Op::Identity(), planes_ * rows_ * t_.rowPitch);
    const uint32_t pitch = RoundUp(columns.count, kBlockBytes / sizeof(T));
    for (int64_t tap = 0; tap < t_.kernelRows; tap += t_.tapRows) {
      const uint32_t taps = Part(tap, t_.tapRows, t_.kernelRows);
      const int64_t start = row_ * t_.strideRows - t_.padRows + tap * t_.dilateRows;
      const WindowInputs from = InputsOf(
          start, static_cast<int64_t>(rows_ - 1) * t_.strideRows + (taps - 1) * t_.dilateRows + 1, t_.inRows);
      if (from.count <= 0) continue;
      auto loaded = CopyIn(from, columns, pitch);
      const auto in = Widen(loaded, planes_ * from.count * pitch);
      for (uint32_t i = 0; i < taps; ++i) {
        // Windows of which this row lies inside the image.
        const int64_t first = start + i * t_.dilateRows;
        const int64_t skip = first < 0 ? (t_.strideRows - 1 - first) / t_.strideRows : 0;
        const int64_t inside = first < t_.inRows ? (t_.inRows - 1 - first) / t_.strideRows + 1 : 0;
        const int64_t end = inside < rows_ ? inside : rows_;
        if (skip >= end) continue;
        const uint32_t offset = static_cast<uint32_t>(first + skip * t_.strideRows - from.begin);
        const uint32_t plane = from.count * pitch, step = static_cast<uint32_t>(t_.strideRows) * pitch;
        const uint32_t rows = static_cast<uint32_t>(end - skip);
        if (rows == rows_ && from.count == rows_ * t_.strideRows) {
          // Planes go on where the one before them ends.
          AddRows(combined, t_.rowPitch, in[offset * pitch], step, planes_ * rows, columns.count);
        } else if (rows < planes_) {
          for (uint32_t r = 0; r < rows; ++r) {
            AddRows(combined[(skip + r) * t_.rowPitch], rows_ * t_.rowPitch, in[offset * pitch + r * step],
                    plane, planes_, columns.count);
          }
        } else {
          for (uint32_t p = 0; p < planes_; ++p) {
            AddRows(combined[(p * rows_ + skip) * t_.rowPitch], t_.rowPitch, in[p * plane + offset * pitch],
                    step, rows, columns.count);
          }
        }
      }
      in_queue_.FreeTensor(loaded);
    }
  }

  // Means of 16 rows from `row` on. Only now, so that sums of integers are exact before they are divided.
  __aicore__ inline void Scale(const LanePlanes &results, uint32_t row, uint32_t rows) {
    constexpr uint32_t kRepeat = 64, kMaxRepeats = 255;
    for (uint32_t x = 0; x < columns_ && t_.borders != 0; ++x) {
      const float factor = BorderFactor(column_ + x, t_.inColumns, t_.kernelColumns, t_.strideColumns,
                                        t_.padColumns, t_.includePad != 0);
      if (factor != 1.0f) AscendC::Muls(results.At(x), results.At(x), factor, kLanes);
    }
    // One factor a lane; four positions make a repeat.
    auto factors = factors_.template Get<float>();
    AscendC::Duplicate(factors, t_.scale, kRepeat);
    for (uint32_t m = 0; m < kLanes && row + m < rows && t_.borders != 0; ++m) {
      const float factor = BorderFactor(row_ + (row + m) % rows_, t_.inRows, t_.kernelRows, t_.strideRows,
                                        t_.padRows, t_.includePad != 0);
      uint64_t mask[2] = {uint64_t{0x0001000100010001} << m, 0};
      if (factor != 1.0f) AscendC::Duplicate(factors, t_.scale * factor, mask, 1, 1, 8);
    }
    const uint32_t repeats = RoundUp(columns_, kRowPositions) * kLanes / kRepeat;
    for (uint32_t r = 0; r < repeats; r += kMaxRepeats) {
      const uint8_t part = repeats - r < kMaxRepeats ? repeats - r : kMaxRepeats;
      const auto sums = results.lanes[r * kRepeat];
      AscendC::Mul(sums, sums, factors, kRepeat, part, {1, 1, 1, 8, 8, 0});
    }
  }

  // Rows of the tile's planes; where these are whole, they are one run.
  __aicore__ inline AscendC::LocalTensor<T> CopyIn(const WindowInputs &rows, const WindowInputs &columns,
                                                   uint32_t pitch) {
    auto in = in_queue_.template AllocTensor<T>();
    const bool whole = rows.count == t_.inRows;
    const uint32_t runs = whole ? 1 : planes_,
                   count = static_cast<uint32_t>(rows.count) * (whole ? planes_ : 1);
    const bool dense = columns.count == t_.inColumns && pitch == static_cast<uint32_t>(columns.count);
    for (uint32_t p = 0; p < runs; ++p) {
      const int64_t from = ((plane_ + p) * t_.inRows + rows.begin) * t_.inColumns + columns.begin;
      const uint32_t to = p * rows.count * pitch;
      if (dense) {
        CopyRowsIn(in[to], count * pitch, in_gm_, from, count * pitch, 1, count * pitch);
      } else {
        CopyRowsIn(in[to], pitch, in_gm_, from, t_.inColumns, count, columns.count);
      }
    }
    in_queue_.EnQue(in);
    return in_queue_.template DeQue<T>();
  }

  __aicore__ inline AscendC::LocalTensor<float> Widen(const AscendC::LocalTensor<T> &in, uint32_t count) {
    if constexpr (sizeof(T) == sizeof(float)) {
      return in;
    } else {
      auto wide = wide_.template Get<float>();
      AscendC::Cast(wide, in, AscendC::RoundMode::CAST_NONE, count);
      return wide;
    }
  }

  // Combines rows `in_step` apart with rows `to_step` apart: a repeat a row, or a row an instruction.
  __aicore__ inline void AddRows(const AscendC::LocalTensor<float> &to, uint32_t to_step,
                                 const AscendC::LocalTensor<float> &in, uint32_t in_step, uint32_t rows,
                                 uint32_t count) {
    constexpr uint32_t kRepeat = 64, kBlock = kBlockBytes / sizeof(float), kMaxStride = 255;
    if (in_step > kMaxStride * kBlock || to_step > kMaxStride * kBlock || rows * kRepeat < count) {
      for (uint32_t r = 0; r < rows; ++r) {
        Op::Combine(to[r * to_step], to[r * to_step], in[r * in_step], static_cast<int32_t>(count));
      }
      return;
    }
    const uint8_t to_stride = to_step / kBlock;
    const AscendC::BinaryRepeatParams params(1, 1, 1, to_stride, to_stride,
                                             static_cast<uint8_t>(in_step / kBlock));
    for (uint32_t r = 0; r < rows; r += kMaxStride) {
      const uint8_t repeats = rows - r < kMaxStride ? rows - r : kMaxStride;
      for (uint32_t x = 0; x < count; x += kRepeat) {
        const uint64_t mask = count - x < kRepeat ? count - x : kRepeat;
        const auto target = to[r * to_step + x];
        Op::Combine(target, target, in[r * in_step + x], mask, repeats, params);
      }
    }
  }

  // Up to 16 combined rows from `row` on, combined over the columns of each window.
  __aicore__ inline void CombineColumns(const LanePlanes &results, uint32_t row, uint32_t rows,
                                        const WindowInputs &from, uint32_t taps) {
    const LanePlanes lanes{lanes_.template Get<float>(), t_.lanePlanes, t_.lanePitch};
    RowsToLanes(lanes, from.before, combined_.template Get<float>()[row * t_.rowPitch], t_.rowPitch,
                rows - row < kLanes ? rows - row : kLanes, from.count, AscendC::LocalTensor<float>());
    FillLanes(lanes, 0, from.before, Op::Identity());
    FillLanes(lanes, from.before + from.count, from.span, Op::Identity());
    for (uint32_t i = 0; i < taps; ++i) {
      const uint32_t first = i * static_cast<uint32_t>(t_.dilateColumns);
      if (t_.lanePlanes == t_.strideColumns) {
        Op::Combine(results.lanes, results.lanes, lanes.At(first), static_cast<int32_t>(columns_ * kLanes));
        continue;
      }
      for (uint32_t x = 0; x < columns_; ++x) {
        const uint32_t position = first + x * static_cast<uint32_t>(t_.strideColumns);
        Op::Combine(results.At(x), results.At(x), lanes.At(position), static_cast<int32_t>(kLanes));
      }
    }
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<T> &result) {
    out_queue_.EnQue(result);
    auto out = out_queue_.template DeQue<T>();
    const bool whole = rows_ == t_.outRows;
    const uint32_t runs = whole ? 1 : planes_, count = rows_ * (whole ? planes_ : 1);
    for (uint32_t p = 0; p < runs; ++p) {
      const int64_t to = ((plane_ + p) * t_.outRows + row_) * t_.outColumns + column_;
      CopyRowsOut(out_gm_, to, t_.outColumns, out[p * rows_ * t_.outPitch], t_.outPitch, count, columns_);
    }
    out_queue_.FreeTensor(out);
  }

  Tiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> combined_, lanes_, results_, factors_, wide_, staging_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  // The tile in hand.
  int64_t plane_, row_, column_;
  uint32_t planes_, rows_, columns_;
};

}  // namespace avo
