// SPDX-License-Identifier: Apache-2.0
// Pooling of small planes: whole planes become lanes. A tile is as many planes as the Unified Buffer holds,
// so that copies are long. A step along a row or a column is then an address, and one instruction computes a
// tap of all windows of all planes.
//
// Planes follow each other in memory without gaps, and most of them start within a data block of 32 bytes.
// The kernel transposes 16 planes at a time; these must start at the same offset in a data block. Every
// `chunk`-th plane does. So the lanes are `chunk` groups, and group g holds the planes g, g + chunk, g + 2
// chunk, …
//
//   planes of 2 x 3 float32, chunk 4: plane p starts 24 p bytes behind plane 0
//   offset in a data block     plane 0: 0   1: 24   2: 16   3: 8   4: 0   5: 24   …
//   lanes                      0 4 8 12 … | 1 5 9 … | 2 6 10 … | 3 7 11 …
//
// A slot is one position of all these planes. `rows_` holds rows of windows with their padding, so that the
// windows of one row and of the next row are one run:
//
//   one row, 5 elements, padding 1, kernel 3, stride 2    . a b c d e . .
//   windows of one row and the next                       ^ ^ ^
//                                                             ^ ^ ^
//                                                                 ^ ^ ^
//                                                                     ^ ^ ^   dropped: between two rows
#pragma once

#include "../common/vectors/casts.h"
#include "../common/vectors/lanes.h"
#include "pool_buffers.h"
#include "runs.h"
#include "window_borders.h"

namespace avo {

// Op and Tiling are as in pool_windows.h.
template <typename T, typename Op, typename Tiling>
class PoolPlanes {
 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    plane_ = static_cast<uint32_t>(t_.inRows * t_.inColumns);
    out_plane_ = static_cast<uint32_t>(t_.outRows * t_.outColumns);
    out_row_ = t_.rowPitch / static_cast<uint32_t>(t_.strideColumns);
    results_ = static_cast<uint32_t>(t_.outRows) * out_row_;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.planes * plane_);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * out_plane_);
    const uint32_t row_slots = static_cast<uint32_t>(t_.outRows) * t_.rowPitch + Reach();
    const PoolPlaneBuffers buffers({t_.inElements, t_.wideElements, t_.slots, t_.slotLanes, row_slots,
                                    uint64_t{t_.tilePlanes} * out_plane_, t_.outPitch},
                                   sizeof(T), sizeof(Element));
    pipe->InitBuffer(lanes_, buffers.lanes.bytes);
    if constexpr (!kDirect) pipe->InitBuffer(wide_, buffers.wide.bytes);
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(rows_, buffers.rows.bytes);
    pipe->InitBuffer(padded_, buffers.padded.bytes);
    pipe->InitBuffer(kept_, buffers.kept.bytes);
    // Instructions compute lanes without a plane too, so these need values. The padding along the rows is
    // written here alone.
    AscendC::Duplicate(lanes_.template Get<Element>(), Element(0),
                       static_cast<int32_t>(t_.slots * t_.slotLanes));
    FillIdentity<Op>(rows_.template Get<Element>(), row_slots * t_.slotLanes);
    SetKept();
  }

  __aicore__ inline void Process() {
    const Share share = CoreShare(t_.planeGroups);
    for (int64_t group = share.begin; group < share.end; ++group) {
      first_ = group * t_.tilePlanes;
      planes_ = TileExtent(first_, t_.tilePlanes, t_.planes);
      PlanesToLanes();
      CombineRows();
      CombineColumns();
      if constexpr (Op::kMean) Scale();
      LanesToPlanes();
    }
  }

 private:
  using Element = typename Op::template Element<T>;
  using Word = std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint16_t>;
  static constexpr bool kDirect = std::is_same_v<T, Element>;
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(T), kStep = kBlockBytes / sizeof(Element);
  // Slots before a plane: a transposition writes what lies before the plane in its first data block there.
  static constexpr uint32_t kBefore = kLanes;

  // Columns from the first tap of a window to its last tap.
  __aicore__ inline uint32_t Reach() const {
    return static_cast<uint32_t>((t_.kernelColumns - 1) * t_.dilateColumns);
  }
  // Sets a bit for each element of a plane with its padding: whether it is a result.
  __aicore__ inline void SetKept() {
    auto words = kept_.template Get<Word>();
    constexpr uint32_t kBits = 8 * sizeof(Word);
    for (uint32_t w = 0; w < (t_.outPitch + kBits - 1) / kBits; ++w) {
      uint32_t bits = 0;
      for (uint32_t n = w * kBits; n < (w + 1) * kBits && n < results_; ++n) {
        bits |= static_cast<uint32_t>(n % out_row_ < t_.outColumns) << n % kBits;
      }
      words.SetValue(w, static_cast<Word>(bits));
    }
  }

  // The planes that the lanes of a group hold: `count` of them, every chunk-th one from `first` on.
  struct LaneGroup {
    uint32_t first, count;
  };
  // The group of the 16 lanes from `lane` on.
  __aicore__ inline LaneGroup GroupAt(uint32_t lane) const {
    const uint32_t each = t_.slotLanes / t_.chunk, first = lane / each + lane % each * t_.chunk;
    if (first >= planes_) return {0, 0};
    return {first, MinRemaining((planes_ - first + t_.chunk - 1) / t_.chunk, kLanes)};
  }

  __aicore__ inline void PlanesToLanes() {
    auto in = in_queue_.template AllocTensor<T>();
    CopyRowsIn(in, planes_ * plane_, in_gm_, first_ * plane_, 0, 1, planes_ * plane_);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<T>();
    const auto planes = CastTo<Element>(in, wide_, RoundUp(planes_ * plane_, kBlock));
    const auto slots = lanes_.template Get<Element>();
    TransposeBarrier();
    for (uint32_t lane = 0; lane < t_.slotLanes; lane += kLanes) {
      const LaneGroup group = GroupAt(lane);
      if (group.count == 0) continue;
      const uint32_t start = group.first * plane_, offset = start % kStep;
      GroupToSlots(slots[(kBefore - offset) * t_.slotLanes + lane], t_.slotLanes, planes[start - offset],
                   t_.chunk * plane_, group.count, offset + plane_);
    }
    TransposeBarrier();
    in_queue_.FreeTensor(in);
  }

  struct Taps {
    int64_t begin, end;
  };
  // The taps of a row of windows, along the rows, that lie inside the image.
  __aicore__ inline Taps TapsOf(int64_t row) const {
    const int64_t start = row * t_.strideRows - t_.padRows, step = t_.dilateRows;
    const int64_t begin = start < 0 ? (step - 1 - start) / step : 0;
    const int64_t inside = start < t_.inRows ? (t_.inRows - 1 - start) / step + 1 : 0;
    const int64_t end = inside < t_.kernelRows ? inside : t_.kernelRows;
    return {begin, end > begin ? end : begin};
  }

  // Combines the rows of each window. Rows of windows that have the same taps inside the image are computed
  // at once; columns that no window reads are left out.
  __aicore__ inline void CombineRows() {
    const uint32_t lanes = t_.slotLanes, columns = static_cast<uint32_t>(t_.inColumns);
    const uint32_t right = static_cast<uint32_t>((t_.outColumns - 1) * t_.strideColumns) + Reach() + 1;
    const uint32_t pad = static_cast<uint32_t>(t_.padColumns);
    const uint32_t used = right - pad < columns ? right - pad : columns;
    const auto rows = rows_.template Get<Element>();
    for (int64_t row = 0, next = 0; row < t_.outRows; row = next) {
      const Taps taps = TapsOf(row);
      for (next = row + 1; next < t_.outRows; ++next) {
        const Taps other = TapsOf(next);
        if (other.begin != taps.begin || other.end != taps.end) break;
      }
      const uint32_t to = static_cast<uint32_t>(row) * t_.rowPitch, runs = static_cast<uint32_t>(next - row);
      if (taps.begin == taps.end) {
        FillIdentity<Op>(rows[to * lanes], runs * t_.rowPitch * lanes);
        continue;
      }
      const int64_t from = row * t_.strideRows - t_.padRows + taps.begin * t_.dilateRows;
      CombineTaps<Op, Element>(
          {rows[(to + pad) * lanes], t_.rowPitch * lanes},
          {lanes_.template Get<Element>()[(kBefore + static_cast<uint32_t>(from) * columns) * lanes],
           static_cast<uint32_t>(t_.strideRows) * columns * lanes},
          static_cast<uint32_t>(t_.dilateRows) * columns * lanes,
          static_cast<uint32_t>(taps.end - taps.begin), runs, used * lanes, true);
    }
  }

  // Combines the columns of each window: along a row, and on to the next row. The windows between two rows
  // are dropped at the end.
  __aicore__ inline void CombineColumns() {
    CombineTaps<Op, Element>(
        {lanes_.template Get<Element>(), t_.slotLanes},
        {rows_.template Get<Element>(), static_cast<uint32_t>(t_.strideColumns) * t_.slotLanes},
        static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes, static_cast<uint32_t>(t_.kernelColumns),
        results_, t_.slotLanes, true);
  }

  // What the sums of a row of windows are multiplied by, beside the factor of all.
  __aicore__ inline float RowFactor(int64_t row) const {
    if (t_.borders == 0) return 1.0f;
    return BorderFactor(row, t_.inRows, t_.kernelRows, t_.strideRows, t_.padRows, t_.includePad != 0);
  }

  // Makes means of sums. This comes last, so that sums of integers are exact before they are divided.
  __aicore__ inline void Scale() {
    const auto results = lanes_.template Get<float>();
    const uint32_t lanes = t_.slotLanes, row_lanes = out_row_ * lanes;
    for (uint32_t x = 0; x < t_.outColumns && t_.borders != 0; ++x) {
      const float factor = BorderFactor(x, t_.inColumns, t_.kernelColumns, t_.strideColumns, t_.padColumns,
                                        t_.includePad != 0);
      if (factor != 1.0f) ScaleRuns({results[x * lanes], row_lanes}, factor, t_.outRows, lanes);
    }
    for (uint32_t row = 0, next = 0; row < t_.outRows; row = next) {
      const float factor = RowFactor(row);
      for (next = row + 1; next < t_.outRows && RowFactor(next) == factor; ++next) {
      }
      ScaleRuns({results[row * row_lanes], row_lanes}, t_.scale * factor, next - row, row_lanes);
    }
  }

  // Turns lanes back to planes, then removes the padding between their rows.
  __aicore__ inline void LanesToPlanes() {
    const auto padded = padded_.template Get<T>();
    AscendC::LocalTensor<T> results;
    if constexpr (kDirect) {
      results = lanes_.template Get<T>();
    } else {
      results = wide_.template Get<T>();
      CastRuns<T, Element>({results, t_.slotLanes}, {lanes_.template Get<Element>(), t_.slotLanes},
                           RoundUp(results_, kRowPositions), t_.slotLanes);
    }
    TransposeBarrier();
    for (uint32_t lane = 0; lane < t_.slotLanes; lane += kLanes) {
      const LaneGroup group = GroupAt(lane);
      if (group.count == 0) continue;
      GroupToRows(padded[group.first * t_.outPitch], t_.chunk * t_.outPitch, results[lane], t_.slotLanes,
                  results_);
    }
    TransposeBarrier();
    auto out = out_queue_.template AllocTensor<T>();
    uint64_t kept = 0;
    AscendC::GatherMask(out.template ReinterpretCast<Word>(), padded.template ReinterpretCast<Word>(),
                        kept_.template Get<Word>(), true, results_,
                        {1, static_cast<uint16_t>(planes_), static_cast<uint16_t>(t_.outPitch / kBlock), 0},
                        kept);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    const uint32_t count = planes_ * out_plane_;
    CopyRowsOut(out_gm_, first_ * out_plane_, count, out, count, 1, count);
    out_queue_.FreeTensor(out);
  }

  Tiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_, rows_, wide_, padded_, kept_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  uint32_t plane_, out_plane_;  // elements of a plane of the input and of the result
  uint32_t out_row_, results_;  // slots of a row of windows, and of all rows; with the dropped windows
  // The tile that is computed.
  int64_t first_;    // its first plane
  uint32_t planes_;  // how many planes it has
};

}  // namespace avo
