// SPDX-License-Identifier: Apache-2.0
// The window walk of pooling: windows are separable, so rows are combined first, as they lie in memory, and
// only the combined ones are turned into lanes, where a step along the row is an address. Memory-bound, no
// workspace, no scalar access to elements.
#pragma once

#include "lanes.h"
#include "runs.h"
#include "window_borders.h"

namespace avo {

// What a stretch of windows along one axis reads: inputs [begin, begin + count), the first of them `before`
// positions behind the first window's start.
struct WindowInputs {
  int64_t begin;
  int32_t count;  // not above 0: padding alone
  uint32_t before;
  uint32_t span;  // positions from the first window's start to the last one's end

  __aicore__ inline uint32_t After() const { return span - before - static_cast<uint32_t>(count); }
};

__aicore__ inline WindowInputs InputsOf(int64_t start, int64_t span, int64_t size) {
  const int64_t begin = start < 0 ? 0 : start, end = start + span < size ? start + span : size;
  return {begin, static_cast<int32_t>(end - begin), static_cast<uint32_t>(begin - start),
          static_cast<uint32_t>(span)};
}

// Op: Element<T>, which windows are combined in; Identity(), Combine, Take (runs.h); where kMean, windows are
// sums that the tiling's `scale`, `borders` and `includePad` make means.
template <typename T, typename Op, typename Tiling>
class PoolWindows {
 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.planes * t_.inRows * t_.inColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.outRows * t_.outColumns);
    const uint32_t rows = t_.tilePlanes * t_.tileRows;
    const uint32_t positions = RoundUp(t_.tileColumns, kRowPositions), results = positions * t_.slotLanes;
    // What is combined lies far from what it is combined into: in another third of UB no bank serves both.
    pipe->InitBuffer(slots_, t_.slots * t_.slotLanes * sizeof(Element));
    if constexpr (!kDirect) pipe->InitBuffer(wide_, t_.wideElements * sizeof(Element));
    pipe->InitBuffer(in_queue_, 2, t_.inElements * sizeof(T));
    pipe->InitBuffer(out_queue_, 2, RoundUp(rows, kLanes) * t_.outPitch * sizeof(T));
    pipe->InitBuffer(combined_, rows * t_.rowPitch * sizeof(Element));
    pipe->InitBuffer(results_, results * sizeof(Element));
    // Positions behind the last window are turned into rows too.
    AscendC::Duplicate(results_.template Get<Element>(), Element(0), results);
    if constexpr (!kDirect) {
      pipe->InitBuffer(staging_, positions * StagingLanes() * sizeof(T));
      AscendC::Duplicate(staging_.template Get<T>(), T(0), positions * StagingLanes());
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
  using Element = typename Op::template Element<T>;
  static constexpr bool kDirect = std::is_same_v<T, Element>;
  static constexpr uint32_t kRepeat = 256 / sizeof(Element), kMaxRepeats = 255;

  // Windows too large for UB come in pieces; each adds to the results, of one window then.
  __aicore__ inline void Compute() {
    auto out = out_queue_.template AllocTensor<T>();
    const uint32_t rows = planes_ * rows_, batch = t_.slotLanes;
    for (int64_t tap = 0; tap < t_.kernelColumns; tap += t_.tapColumns) {
      const uint32_t taps = Part(tap, t_.tapColumns, t_.kernelColumns);
      const WindowInputs from =
          InputsOf(column_ * t_.strideColumns - t_.padColumns + tap * t_.dilateColumns,
                   static_cast<int64_t>(columns_ - 1) * t_.strideColumns + (taps - 1) * t_.dilateColumns + 1,
                   t_.inColumns);
      if (from.count > 0) CombineRows(from);
      for (uint32_t row = 0; row < rows; row += batch) {
        const uint32_t count = rows - row < batch ? rows - row : batch;
        const uint32_t lanes = RoundUp(count, kLanes);
        if (tap == 0 && (Pieces() || from.count <= 0))
          FillIdentity<Op>(results_.template Get<Element>(), columns_ * t_.slotLanes);
        if (from.count > 0) CombineColumns(row, count, from, taps);
        if (tap + taps < t_.kernelColumns) continue;
        if constexpr (Op::kMean) Scale(row, count);
        const auto results = Narrow(lanes);
        for (uint32_t lane = 0; lane < lanes; lane += kLanes) {
          SlotsToRows(out[(row + lane) * t_.outPitch], t_.outPitch, results[lane],
                      kDirect ? t_.slotLanes : StagingLanes(), columns_);
        }
      }
    }
    CopyOut(out);
  }

  // Odd groups of lanes, so that 16 positions lie in 16 bank groups.
  __aicore__ inline uint32_t StagingLanes() const { return t_.slotLanes | kLanes; }
  __aicore__ inline bool Pieces() const {
    return t_.tapRows < t_.kernelRows || t_.tapColumns < t_.kernelColumns;
  }

  // Row planes_ * rows_ of windows: the tile's input rows, combined over the rows of each window.
  __aicore__ inline void CombineRows(const WindowInputs &columns) {
    auto combined = combined_.template Get<Element>();
    const bool whole = t_.wholeRows != 0;
    const uint32_t count = whole ? static_cast<uint32_t>(t_.inColumns) : columns.count;
    const uint32_t pitch = RoundUp(count, kBlockBytes / sizeof(T));
    // Whole blocks, as they are turned into lanes.
    const uint32_t used = RoundUp(columns.count, kBlockBytes / sizeof(Element));
    if (Pieces()) FillIdentity<Op>(combined, t_.rowPitch);
    for (int64_t tap = 0; tap < t_.kernelRows; tap += t_.tapRows) {
      const uint32_t taps = Part(tap, t_.tapRows, t_.kernelRows);
      const WindowInputs from = InputsOf(
          row_ * t_.strideRows - t_.padRows + tap * t_.dilateRows,
          static_cast<int64_t>(rows_ - 1) * t_.strideRows + (taps - 1) * t_.dilateRows + 1, t_.inRows);
      if (from.count <= 0) {
        if (!Pieces()) FillIdentity<Op>(combined, planes_ * rows_ * t_.rowPitch);
        continue;
      }
      auto loaded = CopyIn(from, whole ? 0 : columns.begin, count, pitch);
      const auto in = Widen(loaded, from, pitch);
      const uint32_t width = kDirect ? used : t_.chunk, row = kDirect ? pitch : t_.chunk;
      const uint32_t step = static_cast<uint32_t>(t_.strideRows) * row, plane = from.span * row;
      // Rows of one plane after the other, or of all planes, whichever is longer.
      const bool across = rows_ < planes_;
      for (uint32_t x = 0; x < used; x += width) {
        const auto chunk = in[kDirect ? 0 : x * planes_ * from.span];
        for (uint32_t i = 0; i < (across ? rows_ : planes_); ++i) {
          CombineTaps<Op, Element>(
              {combined[i * (across ? 1 : rows_) * t_.rowPitch + x], (across ? rows_ : 1) * t_.rowPitch},
              {chunk[i * (across ? step : plane)], across ? plane : step},
              static_cast<uint32_t>(t_.dilateRows) * row, taps, across ? planes_ : rows_,
              used - x < width ? used - x : width, !Pieces());
        }
      }
      in_queue_.FreeTensor(loaded);
    }
  }

  // Rows of the tile's planes, with room for padding between them; where planes are whole, one run.
  __aicore__ inline AscendC::LocalTensor<T> CopyIn(const WindowInputs &rows, int64_t column, uint32_t count,
                                                   uint32_t pitch) {
    auto in = in_queue_.template AllocTensor<T>();
    const uint32_t loaded = static_cast<uint32_t>(rows.count);
    const int64_t from = (plane_ * t_.inRows + rows.begin) * t_.inColumns + column;
    const uint32_t to = rows.before * pitch;
    const bool dense = count == t_.inColumns && pitch == count;
    const uint32_t plane = rows.span * pitch;
    const bool whole = dense && rows.span == t_.inRows && loaded == rows.span;
    for (uint32_t p = 0; p < (whole ? 1 : planes_); ++p) {
      const int64_t begin = from + p * t_.inRows * t_.inColumns;
      if (dense) {
        const uint32_t run = whole ? planes_ * plane : loaded * pitch;
        CopyRowsIn(in[to + p * plane], run, in_gm_, begin, run, 1, run);
      } else {
        CopyRowsIn(in[to + p * plane], pitch, in_gm_, begin, t_.inColumns, loaded, count);
      }
    }
    in_queue_.EnQue(in);
    return in_queue_.template DeQue<T>();
  }

  // The tile as elements, the rows of padding filled. Elements that were converted lie in chunks of columns,
  // one under the other, so that rows side by side do not meet in a bank group.
  __aicore__ inline AscendC::LocalTensor<Element> Widen(const AscendC::LocalTensor<T> &in,
                                                        const WindowInputs &rows, uint32_t pitch) {
    AscendC::LocalTensor<Element> wide;
    const uint32_t width = kDirect ? pitch : t_.chunk, loaded = static_cast<uint32_t>(rows.count);
    const uint32_t runs = loaded == rows.span ? 1 : planes_;
    if constexpr (kDirect) {
      wide = in;
    } else {
      wide = wide_.template Get<Element>();
    }
    for (uint32_t x = 0; x < pitch; x += width) {
      for (uint32_t p = 0; p < runs; ++p) {
        const uint32_t row = p * rows.span, begin = row + rows.before;
        const auto chunk = wide[x * planes_ * rows.span];
        if constexpr (!kDirect) {
          CastRuns<Element, T>({chunk[begin * width], width}, {in[begin * pitch + x], pitch},
                               planes_ / runs * loaded, pitch - x < width ? pitch - x : width);
        }
        if (rows.before > 0) FillIdentity<Op>(chunk[row * width], rows.before * width);
        if (rows.After() > 0) FillIdentity<Op>(chunk[(begin + loaded) * width], rows.After() * width);
      }
    }
    return wide;
  }

  // Combined rows [row, row + count), as many lanes, combined over the columns of each window.
  __aicore__ inline void CombineColumns(uint32_t row, uint32_t count, const WindowInputs &from,
                                        uint32_t taps) {
    const auto slots = slots_.template Get<Element>();
    for (uint32_t lane = 0; lane < count; lane += kLanes) {
      RowsToSlots(slots[from.before * t_.slotLanes + lane], t_.slotLanes,
                  combined_.template Get<Element>()[(row + lane) * t_.rowPitch], t_.rowPitch,
                  count - lane < kLanes ? count - lane : kLanes, from.count);
    }
    if (from.before > 0) FillIdentity<Op>(slots, from.before * t_.slotLanes);
    if (from.After() > 0)
      FillIdentity<Op>(slots[(from.span - from.After()) * t_.slotLanes], from.After() * t_.slotLanes);
    CombineTaps<Op, Element>({results_.template Get<Element>(), t_.slotLanes},
                             {slots, static_cast<uint32_t>(t_.strideColumns) * t_.slotLanes},
                             static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes, taps, columns_,
                             RoundUp(count, kLanes), !Pieces());
  }

  // Means of `count` rows from `row` on. Only now, so that sums of integers are exact before they are
  // divided.
  __aicore__ inline void Scale(uint32_t row, uint32_t count) {
    const auto results = results_.template Get<float>();
    for (uint32_t x = 0; x < columns_ && t_.borders != 0; ++x) {
      const float factor = BorderFactor(column_ + x, t_.inColumns, t_.kernelColumns, t_.strideColumns,
                                        t_.padColumns, t_.includePad != 0);
      if (factor == 1.0f) continue;
      AscendC::Muls(results[x * t_.slotLanes], results[x * t_.slotLanes], factor,
                    static_cast<int32_t>(RoundUp(count, kLanes)));
    }
    // All lanes of one factor at once.
    const uint8_t stride = static_cast<uint8_t>(t_.slotLanes * sizeof(float) / kBlockBytes);
    uint64_t left = count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
    for (uint32_t m = 0; m < count; ++m) {
      if ((left >> m & 1) == 0) continue;
      const float factor = RowFactor(row + m);
      uint64_t mask[2] = {0, 0};
      for (uint32_t n = m; n < count; ++n)
        mask[0] |= static_cast<uint64_t>(RowFactor(row + n) == factor) << n;
      left &= ~mask[0];
      for (uint32_t x = 0; x < columns_; x += kMaxRepeats) {
        const auto means = results[x * t_.slotLanes];
        AscendC::Muls(means, means, t_.scale * factor, mask,
                      static_cast<uint8_t>(Part(x, kMaxRepeats, columns_)), {1, 1, stride, stride});
      }
    }
  }

  // Of row `row` of the tile's results.
  __aicore__ inline float RowFactor(uint32_t row) const {
    return t_.borders == 0 ? 1.0f
                           : BorderFactor(row_ + row % rows_, t_.inRows, t_.kernelRows, t_.strideRows,
                                          t_.padRows, t_.includePad != 0);
  }

  // The results as they are stored.
  __aicore__ inline AscendC::LocalTensor<T> Narrow(uint32_t lanes) {
    if constexpr (kDirect) {
      return results_.template Get<T>();
    } else {
      const auto staging = staging_.template Get<T>();
      CastRuns<T, Element>({staging, StagingLanes()}, {results_.template Get<Element>(), t_.slotLanes},
                           columns_, lanes);
      return staging;
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
  AscendC::TBuf<AscendC::TPosition::VECCALC> combined_, slots_, results_, wide_, staging_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  // The tile in hand.
  int64_t plane_, row_, column_;
  uint32_t planes_, rows_, columns_;
};

}  // namespace avo
