// SPDX-License-Identifier: Apache-2.0
// The window walk of pooling: windows are separable, so rows are combined first, as they lie in memory, and
// only the combined ones are turned into lanes, where a step along the row is an address. Memory-bound, no
// workspace, no scalar access to elements.
#pragma once

#include "../common/vectors/lanes.h"
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
    // What is read lies far from what it is written to: in another third of UB no bank serves both.
    if constexpr (!kDirect) pipe->InitBuffer(in_queue_, 2, t_.inElements * sizeof(T));
    pipe->InitBuffer(slots_, t_.slots * t_.slotLanes * sizeof(Element));
    if constexpr (kDirect) {
      pipe->InitBuffer(in_queue_, 2, t_.inElements * sizeof(T));
    } else {
      pipe->InitBuffer(staging_, positions * StagingLanes() * sizeof(T));
      pipe->InitBuffer(wide_, t_.wideElements * sizeof(Element));
      AscendC::Duplicate(staging_.template Get<T>(), T(0), positions * StagingLanes());
    }
    pipe->InitBuffer(out_queue_, 2, RoundUp(rows, kLanes) * t_.outPitch * sizeof(T));
    pipe->InitBuffer(combined_, rows * t_.rowPitch * sizeof(Element));
    pipe->InitBuffer(results_buffer_, results * sizeof(Element) + kSkewBytes);
    const auto buffer = results_buffer_.template Get<Element>();
    const uint32_t third = t_.tapColumns > 2 ? 2 * static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes : 0;
    results_ = buffer[Apart(buffer, slots_.template Get<Element>()[third])];
    // Positions behind the last window are turned into rows too.
    AscendC::Duplicate(results_, Element(0), results);
  }

  __aicore__ inline void Process() {
    const Share share = CoreShare(t_.planeGroups * t_.rowTiles * t_.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      column_ = item % t_.columnTiles * t_.tileColumns;
      columns_ = TileExtent(column_, t_.tileColumns, t_.outColumns);
      row_ = item / t_.columnTiles % t_.rowTiles * t_.tileRows;
      rows_ = TileExtent(row_, t_.tileRows, t_.outRows);
      plane_ = item / t_.columnTiles / t_.rowTiles * t_.tilePlanes;
      planes_ = TileExtent(plane_, t_.tilePlanes, t_.planes);
      Compute();
    }
  }

 private:
  using Element = typename Op::template Element<T>;
  static constexpr bool kDirect = std::is_same_v<T, Element>;
  static constexpr uint32_t kSkewBytes = 512;  // more than the largest skew

  // Elements by which to move `own`, in which two taps are combined, so that it and `other`, the third one,
  // are read in one cycle.
  static __aicore__ inline uint32_t Apart(const AscendC::LocalTensor<Element> &own,
                                          const AscendC::LocalTensor<Element> &other) {
    return OppositeSkew(AddressOf(own, 0), AddressOf(other, 0)) * kSlotBlocks * kBlockBytes / sizeof(Element);
  }

  // Windows too large for UB come in pieces; each adds to the results, of one window then.
  __aicore__ inline void Compute() {
    auto out = out_queue_.template AllocTensor<T>();
    const uint32_t rows = planes_ * rows_, batch = t_.slotLanes;
    for (int64_t tap = 0; tap < t_.kernelColumns; tap += t_.tapColumns) {
      const uint32_t taps = TileExtent(tap, t_.tapColumns, t_.kernelColumns);
      const WindowInputs from =
          InputsOf(column_ * t_.strideColumns - t_.padColumns + tap * t_.dilateColumns,
                   static_cast<int64_t>(columns_ - 1) * t_.strideColumns + (taps - 1) * t_.dilateColumns + 1,
                   t_.inColumns);
      if (from.count > 0) CombineRows(from);
      for (uint32_t row = 0; row < rows; row += batch) {
        const uint32_t count = rows - row < batch ? rows - row : batch;
        const uint32_t lanes = RoundUp(count, kLanes);
        if (tap == 0 && (Pieces() || from.count <= 0)) FillIdentity<Op>(results_, columns_ * t_.slotLanes);
        if (from.count > 0) CombineColumns(row, count, from, taps);
        if (tap + taps < t_.kernelColumns) continue;
        if constexpr (Op::kMean) Scale(count);
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
      const uint32_t taps = TileExtent(tap, t_.tapRows, t_.kernelRows);
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
          const Runs<Element> to{combined[i * (across ? 1 : rows_) * t_.rowPitch + x],
                                 (across ? rows_ : 1) * t_.rowPitch};
          const Runs<Element> first{chunk[i * (across ? step : plane)], across ? plane : step};
          const uint32_t dilation = static_cast<uint32_t>(t_.dilateRows) * row;
          const uint32_t runs = across ? planes_ : rows_;
          // Nothing is in the slots yet, but for padding.
          const auto spare = slots_.template Get<Element>()[columns.before * t_.slotLanes];
          const uint32_t skew = taps > 2 ? Apart(spare, first.first[2 * dilation]) : 0;
          const bool fits = skew + runs * first.step <= columns.count * t_.slotLanes;
          const Runs<Element> partial{spare[skew], first.step};
          CombineTaps<Op, Element>(to, first, dilation, taps, runs, used - x < width ? used - x : width,
                                   !Pieces(), fits ? &partial : nullptr);
        }
      }
      in_queue_.FreeTensor(loaded);
    }
    if constexpr (Op::kMean) ScaleRows(used);
  }

  // Rows at the borders, whose windows have fewer elements that count. Each is one run here, but a lane of
  // all positions later.
  __aicore__ inline void ScaleRows(uint32_t used) {
    for (uint32_t r = 0; r < rows_ && t_.borders != 0; ++r) {
      const float factor =
          BorderFactor(row_ + r, t_.inRows, t_.kernelRows, t_.strideRows, t_.padRows, t_.includePad != 0);
      if (factor == 1.0f) continue;
      ScaleRuns({combined_.template Get<float>()[r * t_.rowPitch], rows_ * t_.rowPitch}, factor, planes_,
                used);
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

  // The tile as elements, the rows of padding filled. Elements that are converted lie in chunks of columns,
  // one under the other, so that rows side by side do not meet in a bank group.
  __aicore__ inline AscendC::LocalTensor<Element> Widen(const AscendC::LocalTensor<T> &in,
                                                        const WindowInputs &rows, uint32_t pitch) {
    for (uint32_t p = 0; p < planes_; ++p) {
      const uint32_t row = p * rows.span, end = row + rows.span - rows.After();
      if (rows.before > 0) FillIdentity<Op>(in[row * pitch], rows.before * pitch);
      if (rows.After() > 0) FillIdentity<Op>(in[end * pitch], rows.After() * pitch);
    }
    if constexpr (kDirect) {
      return in;
    } else {
      const auto wide = wide_.template Get<Element>();
      const uint32_t width = t_.chunk, count = planes_ * rows.span;
      for (uint32_t x = 0; x < pitch; x += width) {
        CastRuns<Element, T>({wide[x * count], width}, {in[x], pitch}, count,
                             pitch - x < width ? pitch - x : width);
      }
      return wide;
    }
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
    if (!padded_) {
      const uint32_t end = from.span - from.After();
      if (from.before > 0) FillIdentity<Op>(slots, from.before * t_.slotLanes);
      if (from.After() > 0) FillIdentity<Op>(slots[end * t_.slotLanes], from.After() * t_.slotLanes);
      // Whole blocks are turned; the last one may reach into the padding.
      padded_ = t_.columnTiles == 1 && !Pieces() && from.count % (kBlockBytes / sizeof(Element)) == 0;
    }
    CombineTaps<Op, Element>({results_, t_.slotLanes},
                             {slots, static_cast<uint32_t>(t_.strideColumns) * t_.slotLanes},
                             static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes, taps, columns_,
                             RoundUp(count, kLanes), !Pieces());
  }

  // Means of `count` rows, all but the factors of rows at the borders. Only now, so that sums of integers are
  // exact before they are divided.
  __aicore__ inline void Scale(uint32_t count) {
    const uint32_t lanes = RoundUp(count, kLanes);
    for (uint32_t x = 0; x < columns_ && t_.borders != 0; ++x) {
      const float factor = BorderFactor(column_ + x, t_.inColumns, t_.kernelColumns, t_.strideColumns,
                                        t_.padColumns, t_.includePad != 0);
      if (factor == 1.0f) continue;
      AscendC::Muls(results_[x * t_.slotLanes], results_[x * t_.slotLanes], factor,
                    static_cast<int32_t>(lanes));
    }
    ScaleRuns({results_, t_.slotLanes}, t_.scale, columns_, lanes);
  }

  // The results as they are stored.
  __aicore__ inline AscendC::LocalTensor<T> Narrow(uint32_t lanes) {
    if constexpr (kDirect) {
      return results_;
    } else {
      const auto staging = staging_.template Get<T>();
      CastRuns<T, Element>({staging, StagingLanes()}, {results_, t_.slotLanes}, columns_, lanes);
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
  AscendC::TBuf<AscendC::TPosition::VECCALC> combined_, slots_, results_buffer_, wide_, staging_;
  AscendC::LocalTensor<Element> results_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  // The tile in hand.
  int64_t plane_, row_, column_;
  uint32_t planes_, rows_, columns_;
  bool padded_ = false;  // the slots of padding are filled, and stay so
};

}  // namespace avo
