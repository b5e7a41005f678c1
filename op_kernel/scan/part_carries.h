// SPDX-License-Identifier: Apache-2.0
// What the parts of lines hand to each other across cores. In the workspace every part has what it and the
// parts before it in its tile end with, `unit` lanes wide: the columns of a part, or, of a row, its one value
// in all lanes of a block. What a tile begins with is one more scan: over the last part of each tile before
// it, and then over its own parts.
#pragma once

#include "best_scan.h"

namespace avo {

template <typename Best, typename T, bool ROWS, bool INDEXED>
class PartCarries {
  using Scan = BestScan<Best, T>;
  using C = typename Scan::C;
  using Tile = PlaneTile<C>;
  static constexpr uint32_t kPlanes = Scan::kPlanes;

 public:
  static constexpr uint32_t kRowUnit = kBlockBytes / sizeof(C);

  // parts, groups: of a tile, of a line; unit: most lanes of a part.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, uint32_t unit, bool reverse,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    reverse_ = reverse;
    groups_ = tiling.groups;
    column_tiles_ = tiling.columnTiles;
    parts_ = tiling.tileOuter;
    unit_ = unit;
    const int64_t entries = tiling.outerTiles * tiling.columnTiles * parts_ * unit_;
    entries_ = entries;
    values_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ C *>(workspace), kPlanes * entries);
    places_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace) + kPlanes * entries, entries);
    pitch_ = RoundUp(static_cast<uint32_t>(groups_ + parts_) * unit_, Scan::kRepeat);
    InitZero<C>(ends_, kPlanes * pitch_);
    InitZero<C>(scanned_, kPlanes * pitch_);
    if constexpr (INDEXED) {
      InitZero<int32_t>(places_, pitch_);
      pipe->InitBuffer(bits_, pitch_ / 8);
      pipe->InitBuffer(others_, pitch_ / 8);
    }
  }

  // Leaves what the parts of a tile end with; of each, `unit` lanes.
  __aicore__ inline void Store(Scan &scan, int64_t item, const Tile &carry,
                               const AscendC::LocalTensor<int32_t> &places, uint32_t unit) {
    for (uint32_t p = 0; p < kPlanes; ++p) Widen(Ends().Plane(p), carry.Plane(p), unit);
    if constexpr (INDEXED) Widen(places_.template Get<int32_t>(), places, unit);
    Lead(scan, parts_, unit);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    const int64_t at = Entry(item, 0);
    for (uint32_t p = 0; p < kPlanes; ++p) {
      CopyRowsOut(values_gm_, p * entries_ + at, unit_, Scanned().Plane(p), unit, parts_, unit);
    }
    if constexpr (INDEXED) {
      CopyRowsOut(places_gm_, at, unit_, places_.template Get<int32_t>(), unit, parts_, unit);
    }
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
  }

  // What the parts of a tile begin with.
  __aicore__ inline void Load(Scan &scan, int64_t item, const Tile &carry,
                              const AscendC::LocalTensor<int32_t> &places, uint32_t unit) {
    const int64_t group = item / column_tiles_ % groups_;
    const uint32_t before = static_cast<uint32_t>(reverse_ ? groups_ - 1 - group : group), own = parts_ - 1;
    const uint32_t none_at = reverse_ ? own + before : 0;
    for (uint32_t p = 0; p < kPlanes; ++p) {
      AscendC::Duplicate(Ends().Plane(p)[none_at * unit], Scan::Worst(), static_cast<int32_t>(unit));
    }
    const auto kept = places_.template Get<int32_t>();
    if constexpr (INDEXED) AscendC::Duplicate(kept[none_at * unit], -1, static_cast<int32_t>(unit));
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    for (uint32_t p = 0; p < kPlanes; ++p)
      CopyEnds(Ends().Plane(p), values_gm_, p * entries_, item, before, unit);
    if constexpr (INDEXED) CopyEnds(kept, places_gm_, 0, item, before, unit);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    Lead(scan, before + parts_, unit);
    const uint32_t from = reverse_ ? 0 : before * unit;
    for (uint32_t p = 0; p < kPlanes; ++p)
      Narrow(carry.Plane(p), Scanned().Plane(p)[from], Ends().data, unit);
    if constexpr (INDEXED) Narrow(places, kept[from], Ends().data.template ReinterpretCast<int32_t>(), unit);
  }

 private:
  template <typename E, typename Buffer>
  __aicore__ inline void InitZero(Buffer &buffer, uint32_t count) {
    pipe_->InitBuffer(buffer, count * sizeof(E));
    AscendC::Duplicate(buffer.template Get<E>(), E(0), static_cast<int32_t>(count));
  }

  __aicore__ inline Tile Ends() { return {ends_.template Get<C>(), pitch_}; }
  __aicore__ inline Tile Scanned() { return {scanned_.template Get<C>(), pitch_}; }
  __aicore__ inline int64_t Entry(int64_t item, uint32_t part) const {
    return (item * parts_ + part) * unit_;
  }

  // The last part of each tile of the line that comes before, and the tile's own parts but the last, in the
  // order of the axis.
  template <typename E>
  __aicore__ inline void CopyEnds(const AscendC::LocalTensor<E> &to, const AscendC::GlobalTensor<E> &gm,
                                  int64_t plane, int64_t item, uint32_t before, uint32_t unit) {
    const uint32_t own = parts_ - 1, tiles_at = reverse_ ? own : 1, own_at = reverse_ ? 0 : 1 + before;
    const int64_t nearest = reverse_ ? item + column_tiles_ : item - before * column_tiles_;
    if (before > 0) {
      CopyRowsIn(to[tiles_at * unit], unit, gm, plane + Entry(nearest, reverse_ ? 0 : own),
                 column_tiles_ * parts_ * unit_, before, unit);
    }
    if (own > 0) {
      CopyRowsIn(to[own_at * unit], unit, gm, plane + Entry(item, reverse_ ? 1 : 0), unit_, own, unit);
    }
  }

  // Scans `positions` ends and their places.
  __aicore__ inline void Lead(Scan &scan, uint32_t positions, uint32_t unit) {
    const ScanPath path{positions, unit, ROWS ? kRun : positions, reverse_};
    scan.Scan(Scanned(), Ends(), Ends(), false, path);
    if constexpr (INDEXED) {
      const uint32_t count = RoundUp(positions * unit, Scan::kRepeat);
      const auto bits = bits_.template Get<uint8_t>();
      const auto places = places_.template Get<int32_t>();
      MarkLeaders(bits, others_.template Get<uint8_t>(), Ends(), Scanned(), kPlanes > 1, count);
      KeepLeaders(places, bits, places, count);
      const PlaneTile<int32_t> tile{places, pitch_};
      place_scan_.Scan(tile, tile, tile, false, path);
    }
  }

  // A row's value to a block, and back.
  template <typename E>
  __aicore__ inline void Widen(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                               uint32_t unit) {
    if constexpr (ROWS) {
      AscendC::Brcb(to, from, static_cast<uint8_t>(parts_ / kRowUnit), {1, kRowUnit});
    } else {
      Larger::Apply(to, from, from, static_cast<int32_t>(parts_ * unit));
    }
  }
  template <typename E>
  __aicore__ inline void Narrow(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                const AscendC::LocalTensor<E> &work, uint32_t unit) {
    if constexpr (ROWS) {
      constexpr uint8_t kFourth = 3, kSecond = 1;  // patterns of GatherMask
      const AscendC::GatherMaskParams once(1, 1, 0, 0);
      uint64_t kept = 0;
      AscendC::GatherMask(work, from, kFourth, true, parts_ * kRowUnit, once, kept);
      AscendC::GatherMask(to, work, kSecond, true, parts_ * kRowUnit / 4, once, kept);
    } else {
      Larger::Apply(to, from, from, static_cast<int32_t>(parts_ * unit));
    }
  }

  static constexpr uint32_t kRun = 16;  // positions that are scanned together

  AscendC::TPipe *pipe_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> ends_, scanned_, places_, bits_, others_;
  AscendC::GlobalTensor<C> values_gm_;
  AscendC::GlobalTensor<int32_t> places_gm_;
  BestScan<Larger, int32_t> place_scan_;
  int64_t groups_, column_tiles_, entries_;
  uint32_t parts_, unit_, pitch_;
  bool reverse_;
};

}  // namespace avo
