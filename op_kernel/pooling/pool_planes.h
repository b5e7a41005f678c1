// SPDX-License-Identifier: Apache-2.0
// The window walk of pooling over small planes: 16 whole planes are lanes, in as many groups as the Unified
// Buffer holds, so that copies are long and a step along rows or columns is an address. Planes lie in memory
// without gaps: those that begin at the same place of a data block, `chunk` planes apart, become lanes
// together, and the ones between them the next lanes.
#pragma once

#include "../common/vectors/lanes.h"
#include "runs.h"
#include "window_borders.h"

namespace avo {

// Op and the tiling: as in pool_windows.h.
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
    const uint32_t lanes = t_.slots * t_.slotLanes;
    const uint32_t rows = (static_cast<uint32_t>(t_.outRows) * t_.rowPitch + Reach()) * t_.slotLanes;
    pipe->InitBuffer(lanes_, lanes * sizeof(Element));
    if constexpr (!kDirect) pipe->InitBuffer(wide_, t_.wideElements * sizeof(Element));
    pipe->InitBuffer(in_queue_, 2, t_.inElements * sizeof(T));
    pipe->InitBuffer(out_queue_, 2, RoundUp(t_.tilePlanes * out_plane_, kBlock) * sizeof(T));
    pipe->InitBuffer(rows_, rows * sizeof(Element));
    pipe->InitBuffer(padded_, t_.slotLanes * t_.outPitch * sizeof(T));
    pipe->InitBuffer(kept_, RoundUp(t_.outPitch / 8, kBlockBytes));
    // Lanes without planes are computed with too; padding along the rows stays what it is.
    AscendC::Duplicate(lanes_.template Get<Element>(), Element(0), static_cast<int32_t>(lanes));
    FillIdentity<Op>(rows_.template Get<Element>(), rows);
    SetKept();
  }

  __aicore__ inline void Process() {
    const Share share = CoreShare(t_.planeGroups);
    for (int64_t group = share.begin; group < share.end; ++group) {
      first_ = group * t_.tilePlanes;
      planes_ = TileExtent(first_, t_.tilePlanes, t_.planes);
      PlanesToLanes();
      CombineRows();
      // Windows along a row, and on to the next row: those in between are dropped in the end.
      const auto results = lanes_.template Get<Element>();
      CombineTaps<Op, Element>(
          {results, t_.slotLanes},
          {rows_.template Get<Element>(), static_cast<uint32_t>(t_.strideColumns) * t_.slotLanes},
          static_cast<uint32_t>(t_.dilateColumns) * t_.slotLanes, static_cast<uint32_t>(t_.kernelColumns),
          results_, t_.slotLanes, true);
      if constexpr (Op::kMean) Scale();
      LanesToPlanes();
    }
  }

 private:
  using Element = typename Op::template Element<T>;
  using Word = std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint16_t>;
  static constexpr bool kDirect = std::is_same_v<T, Element>;
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(T), kStep = kBlockBytes / sizeof(Element);
  static constexpr uint32_t kBefore = kLanes;  // slots before a plane, for what lies in its first block

  __aicore__ inline uint32_t Reach() const {
    return static_cast<uint32_t>((t_.kernelColumns - 1) * t_.dilateColumns);
  }
  // Which elements of a plane of padded rows are results, a bit each; set once.
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

  // Calls group(plane, planes, lane) for 16 lanes a time: every chunk-th plane from `plane` on.
  template <typename Group>
  __aicore__ inline void ForGroups(Group group) {
    const uint32_t each = t_.slotLanes / t_.chunk;
    for (uint32_t first = 0; first < t_.chunk && first < planes_; ++first) {
      const uint32_t count = (planes_ - first + t_.chunk - 1) / t_.chunk;
      for (uint32_t lane = 0; lane < count; lane += kLanes) {
        group(first + lane * t_.chunk, count - lane < kLanes ? count - lane : kLanes, first * each + lane);
      }
    }
  }

  __aicore__ inline void PlanesToLanes() {
    auto in = in_queue_.template AllocTensor<T>();
    CopyRowsIn(in, planes_ * plane_, in_gm_, first_ * plane_, 0, 1, planes_ * plane_);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<T>();
    AscendC::LocalTensor<Element> planes;
    if constexpr (kDirect) {
      planes = in;
    } else {
      planes = wide_.template Get<Element>();
      AscendC::Cast(planes, in, AscendC::RoundMode::CAST_NONE, RoundUp(planes_ * plane_, kBlock));
    }
    const auto slots = lanes_.template Get<Element>();
    ForGroups([&](uint32_t plane, uint32_t count, uint32_t lane) {
      const uint32_t offset = plane * plane_ % kStep;
      RowsToSlots(slots[(kBefore - offset) * t_.slotLanes + lane], t_.slotLanes,
                  planes[plane * plane_ - offset], t_.chunk * plane_, count, offset + plane_);
    });
    in_queue_.FreeTensor(in);
  }

  struct Taps {
    int64_t begin, end;
  };
  // Rows of window `row` that lie inside the image.
  __aicore__ inline Taps TapsOf(int64_t row) const {
    const int64_t start = row * t_.strideRows - t_.padRows, step = t_.dilateRows;
    const int64_t begin = start < 0 ? (step - 1 - start) / step : 0;
    const int64_t inside = start < t_.inRows ? (t_.inRows - 1 - start) / step + 1 : 0;
    const int64_t end = inside < t_.kernelRows ? inside : t_.kernelRows;
    return {begin, end > begin ? end : begin};
  }

  // Rows of windows that have the same taps, all at once; columns that no window reads are left out.
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

  // Only now, so that sums of integers are exact before they are divided.
  __aicore__ inline void Scale() {
    const auto results = lanes_.template Get<float>();
    const uint32_t lanes = t_.slotLanes, row_lanes = out_row_ * lanes;
    const bool pad = t_.includePad != 0;
    for (uint32_t x = 0; x < t_.outColumns && t_.borders != 0; ++x) {
      const float factor =
          BorderFactor(x, t_.inColumns, t_.kernelColumns, t_.strideColumns, t_.padColumns, pad);
      if (factor != 1.0f) ScaleRuns({results[x * lanes], row_lanes}, factor, t_.outRows, lanes);
    }
    for (uint32_t row = 0, next = 0; row < t_.outRows; row = next) {
      const auto factor_of = [&](int64_t r) {
        return t_.borders == 0 ? 1.0f
                               : BorderFactor(r, t_.inRows, t_.kernelRows, t_.strideRows, t_.padRows, pad);
      };
      const float factor = factor_of(row);
      for (next = row + 1; next < t_.outRows && factor_of(next) == factor; ++next) {
      }
      ScaleRuns({results[row * row_lanes], row_lanes}, t_.scale * factor, next - row, row_lanes);
    }
  }

  // Back to planes, then without the padding between their rows.
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
    ForGroups([&](uint32_t plane, uint32_t, uint32_t lane) {
      SlotsToRows(padded[plane * t_.outPitch], t_.chunk * t_.outPitch, results[lane], t_.slotLanes, results_);
    });
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
  uint32_t plane_, out_plane_;  // elements of a plane
  uint32_t out_row_, results_;  // positions of a row of results, and of all of them
  // The tile in hand.
  int64_t first_;
  uint32_t planes_;
};

}  // namespace avo
