// SPDX-License-Identifier: Apache-2.0
// Pooling of windows of any size. Windows are separable, so the kernel combines the rows of each window
// first, as they lie in memory. It then transposes the combined rows: 16 of them become lanes, a column of
// them becomes a slot, and a step along the row is an address. The columns of each window are combined there.
//
//   3 x 3 windows, stride 2, padding 1, over the rows a, b, c of 5 elements
//
//   input      a0 a1 a2 a3 a4      combined   u0 u1 u2 u3 u4   first row of windows: a and b
//              b0 b1 b2 b3 b4                 v0 v1 v2 v3 v4   second row of windows: b and c
//              c0 c1 c2 c3 c4
//
//   slots      ..  u0v0  u1v1  u2v2  u3v3  u4v4  ..            .. is padding
//   window 0   ^^  ^^^^  ^^^^
//   window 1             ^^^^  ^^^^  ^^^^
//   window 2                         ^^^^  ^^^^  ^^
//
// Most calls are bound by memory. The kernel needs no workspace, and the scalar unit touches no element.
#pragma once

#include "../common/vectors/lanes.h"
#include "pool_buffers.h"
#include "runs.h"
#include "window_borders.h"

namespace avo {

// Op has Element<T>, the type that windows are combined in, and Identity, Combine and CombineScalar (runs.h).
// With Op::kMean, windows are sums, and `scale`, `borders` and `includePad` of Tiling make means of them.
template <typename T, typename Op, typename Tiling>
class PoolWindows {
 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.planes * t_.inRows * t_.inColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.outRows * t_.outColumns);
    const uint32_t slots = RoundUp(t_.tileColumns, kRowPositions), results = slots * t_.slotLanes;
    const PoolWindowBuffers buffers({uint64_t{t_.tilePlanes} * t_.tileRows, t_.tileColumns, t_.inElements,
                                     t_.wideElements, t_.rowPitch, t_.slots, t_.slotLanes, t_.outPitch},
                                    sizeof(T), sizeof(Element));
    // The order keeps what an instruction reads far from what it writes: in another third of the Unified
    // Buffer, where they share no bank.
    if constexpr (!kDirect) pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(slots_, buffers.slots.bytes);
    if constexpr (kDirect) {
      pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    } else {
      pipe->InitBuffer(staging_, buffers.staging.bytes);
      pipe->InitBuffer(wide_, buffers.wide.bytes);
      AscendC::Duplicate(staging_.template Get<T>(), T(0), slots * StagingLanes());
    }
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(combined_, buffers.combined.bytes);
    pipe->InitBuffer(results_buffer_, buffers.results.bytes);
    const auto buffer = results_buffer_.template Get<Element>();
    const uint32_t third = t_.tapColumns > 2 ? 2 * static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes : 0;
    results_ = buffer[SkewFrom(buffer, slots_.template Get<Element>()[third])];
    // A transposition back to rows reads slots behind the last window too, so these need values.
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

  // Elements by which to move `own` so that one cycle reads both it and `other`: their bank groups are then
  // different ones. `own` holds two combined taps, `other` is the third tap.
  static __aicore__ inline uint32_t SkewFrom(const AscendC::LocalTensor<Element> &own,
                                             const AscendC::LocalTensor<Element> &other) {
    return OppositeSkew(AddressOf(own, 0), AddressOf(other, 0)) * kSlotBlocks * kBlockBytes / sizeof(Element);
  }

  // Computes one tile. Windows too large for the Unified Buffer come in pieces. A tile is then one window,
  // and each piece is combined with the results of those before it.
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
        SlotsToRows(out[row * t_.outPitch], t_.outPitch, results, kDirect ? t_.slotLanes : StagingLanes(),
                    lanes, columns_);
      }
    }
    CopyOut(out);
  }

  __aicore__ inline uint32_t StagingLanes() const {
    return static_cast<uint32_t>(PoolWindowBuffers::StagingLanes(t_.slotLanes));
  }
  // Whether windows come in pieces.
  __aicore__ inline bool Pieces() const {
    return t_.tapRows < t_.kernelRows || t_.tapColumns < t_.kernelColumns;
  }

  // Loads the rows that the tile's windows read, piece by piece, and combines the rows of each window:
  // planes_ * rows_ combined rows. `columns`: the columns that the windows read.
  __aicore__ inline void CombineRows(const WindowInputs &columns) {
    auto combined = combined_.template Get<Element>();
    const bool whole = t_.wholeRows != 0;
    const uint32_t count = whole ? static_cast<uint32_t>(t_.inColumns) : columns.count;
    const uint32_t pitch = RoundUp(count, kBlockBytes / sizeof(T));
    // A transposition reads whole data blocks.
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
      for (uint32_t x = 0; x < used; x += width) {
        CombineChunk(in[kDirect ? 0 : x * planes_ * from.span], x, used - x < width ? used - x : width, taps,
                     {row, from.span}, columns);
      }
      in_queue_.FreeTensor(loaded);
    }
    if constexpr (Op::kMean) ScaleRows(used);
  }

  // How rows of one plane lie in the tile: `pitch` elements from row to row, `rows` of them.
  struct PlaneRows {
    uint32_t pitch, rows;
  };

  // Combines `taps` rows of each window, columns [x, x + count) of them, into the combined rows. An
  // instruction goes along the rows of a plane, or across the planes, whichever are more. `columns`: as in
  // CombineRows.
  __aicore__ inline void CombineChunk(const AscendC::LocalTensor<Element> &chunk, uint32_t x, uint32_t count,
                                      uint32_t taps, const PlaneRows &in, const WindowInputs &columns) {
    const bool across = rows_ < planes_;
    const uint32_t window_rows = static_cast<uint32_t>(t_.strideRows) * in.pitch, plane = in.rows * in.pitch;
    const uint32_t tap = static_cast<uint32_t>(t_.dilateRows) * in.pitch;
    const uint32_t runs = across ? planes_ : rows_;
    for (uint32_t i = 0; i < (across ? rows_ : planes_); ++i) {
      const Runs<Element> to{combined_.template Get<Element>()[i * (across ? 1 : rows_) * t_.rowPitch + x],
                             (across ? rows_ : 1) * t_.rowPitch};
      const Runs<Element> from{chunk[i * (across ? window_rows : plane)], across ? plane : window_rows};
      // The slots of inputs are free until the combined rows are transposed.
      const auto spare = slots_.template Get<Element>()[columns.before * t_.slotLanes];
      const uint32_t skew = taps > 2 ? SkewFrom(spare, from.first[2 * tap]) : 0;
      const bool fits = skew + runs * from.step <= columns.count * t_.slotLanes;
      const Runs<Element> partial{spare[skew], from.step};
      CombineTaps<Op, Element>(to, from, tap, taps, runs, count, !Pieces(), fits ? &partial : nullptr);
    }
  }

  // Multiplies rows of windows at the borders, in which fewer elements count. A row is one run here; later it
  // is a lane of all slots.
  __aicore__ inline void ScaleRows(uint32_t used) {
    for (uint32_t r = 0; r < rows_ && t_.borders != 0; ++r) {
      const float factor =
          BorderFactor(row_ + r, t_.inRows, t_.kernelRows, t_.strideRows, t_.padRows, t_.includePad != 0);
      if (factor == 1.0f) continue;
      ScaleRuns({combined_.template Get<float>()[r * t_.rowPitch], rows_ * t_.rowPitch}, factor, planes_,
                used);
    }
  }

  // Loads rows of the tile's planes and leaves room for the padding between planes. Whole planes without
  // padding are one copy. rows: those that windows read; column, count: the columns that are loaded; pitch:
  // elements from row to row.
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

  // Fills the rows of padding and gives the tile as Element. A tile that is converted lies in chunks of
  // columns, one chunk after another, so that neighbouring rows do not meet in a bank group:
  //
  //   rows of T     a0 a1 a2 a3 | b0 b1 b2 b3        chunks of 2     a0 a1 b0 b1 | a2 a3 b2 b3
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

  // Transposes combined rows [row, row + count) to lanes, and combines the columns of each window there.
  __aicore__ inline void CombineColumns(uint32_t row, uint32_t count, const WindowInputs &from,
                                        uint32_t taps) {
    const auto slots = slots_.template Get<Element>();
    RowsToSlots(slots[from.before * t_.slotLanes], t_.slotLanes,
                combined_.template Get<Element>()[row * t_.rowPitch], t_.rowPitch, count, from.count);
    if (!padded_) {
      const uint32_t end = from.span - from.After();
      if (from.before > 0) FillIdentity<Op>(slots, from.before * t_.slotLanes);
      if (from.After() > 0) FillIdentity<Op>(slots[end * t_.slotLanes], from.After() * t_.slotLanes);
      // A transposition writes whole data blocks; its last one may overwrite padding, which is then filled
      // each time.
      padded_ = t_.columnTiles == 1 && !Pieces() && from.count % (kBlockBytes / sizeof(Element)) == 0;
    }
    CombineTaps<Op, Element>({results_, t_.slotLanes},
                             {slots, static_cast<uint32_t>(t_.strideColumns) * t_.slotLanes},
                             static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes, taps, columns_,
                             RoundUp(count, kLanes), !Pieces());
  }

  // Makes means of the sums of `count` rows, but for the factors of rows at the borders (ScaleRows). This
  // comes last, so that sums of integers are exact before they are divided.
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

  // Gives the results as T, in slots of slotLanes lanes, or of StagingLanes() where they are converted.
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
  // The tile that is computed: its first plane, row of windows and column of windows, and how many of each.
  int64_t plane_, row_, column_;
  uint32_t planes_, rows_, columns_;
  bool padded_ = false;  // whether the slots of padding are filled, and no later step overwrites them
};

}  // namespace avo
