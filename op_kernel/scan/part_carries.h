// SPDX-License-Identifier: Apache-2.0
// Carries between the parts of a line, across cores. Every part ends with a best value (and its index), which
// all later parts of the line must know. Cores exchange these ends in the workspace, `unit` keys each: of
// columns one key for each element of a slice, of a row its one key in all lanes of a data block.
//
//   workspace   plane 0   | tile 0: end 0, end 1, … | tile 1: end 0, end 1, … | …
//               plane 1   | second planes of int64, in the same order           | …
//               indices   | the same of the indices, in the same order          | …
//
// The ends of a tile have been scanned: each of them includes the ends before it in its tile.
//
// A tile that has `before` tiles of its line before it reads these ends, and scans them. Where the scan goes
// from the first position to the last, they lie in UB as
//
//   worst key | last end of each tile before | end 0, end 1, …, end parts - 2 of the tile's own parts
//
// so that, once scanned, position `before` holds what part 0 begins with, the next position what part 1
// begins with, and so on. Where the scan goes the other way, all of this is mirrored.
#pragma once

#include "best_scan.h"

namespace avo {

template <typename Best, typename T, bool ROWS, bool INDEXED>
class PartCarries {
  using Scan = BestScan<Best, T>;
  using Key = typename Scan::Key;
  using Tile = PlaneTile<Key>;
  using Indices = AscendC::LocalTensor<int32_t>;
  static constexpr ScanLayout kLayout{sizeof(T), ROWS};
  static constexpr uint32_t kPlanes = Scan::kPlanes;

 public:
  __aicore__ inline void Init(GM_ADDR workspace, const RunningScanTiling &tiling,
                              const PartCarriesBuffers &buffers, bool reverse, AscendC::TPipe *pipe) {
    pipe_ = pipe;
    reverse_ = reverse;
    groups_ = tiling.groups;
    column_tiles_ = tiling.columnTiles;
    parts_ = tiling.tileOuter;
    unit_ = kLayout.EndPitch(tiling.tileColumns);
    entries_ = tiling.outerTiles * tiling.columnTiles * parts_ * unit_;
    values_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ Key *>(workspace), kPlanes * entries_);
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace) + kPlanes * entries_, entries_);
    pitch_ = PartCarriesBuffers::Keys(kLayout, tiling);
    InitZero<Key>(ends_, buffers.ends);
    InitZero<Key>(scanned_, buffers.scanned);
    if constexpr (INDEXED) {
      InitZero<int32_t>(indices_, buffers.indices);
      pipe->InitBuffer(leads_, buffers.leads.bytes);
      pipe->InitBuffer(scratch_bits_, buffers.scratch_bits.bytes);
    }
  }

  // Stores what the parts of a tile end with. carry, indices: of all parts, `unit` keys each in layout
  // `columns`, one key each in layout `rows`.
  __aicore__ inline void Store(Scan &scan, int64_t item, const Tile &carry, const Indices &indices,
                               uint32_t unit) {
    for (uint32_t p = 0; p < kPlanes; ++p) ToUnits(Ends().Plane(p), carry.Plane(p), unit);
    if constexpr (INDEXED) ToUnits(indices_.template Get<int32_t>(), indices, unit);
    ScanEnds(scan, parts_, unit);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    const int64_t at = Entry(item, 0);
    for (uint32_t p = 0; p < kPlanes; ++p) {
      CopyRowsOut(values_gm_, p * entries_ + at, unit_, Scanned().Plane(p), unit, parts_, unit);
    }
    if constexpr (INDEXED) {
      CopyRowsOut(indices_gm_, at, unit_, indices_.template Get<int32_t>(), unit, parts_, unit);
    }
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
  }

  // Computes what the parts of a tile begin with, from what all cores have stored.
  __aicore__ inline void Load(Scan &scan, int64_t item, const Tile &carry, const Indices &indices,
                              uint32_t unit) {
    const int64_t group = item / column_tiles_ % groups_;
    const uint32_t before = static_cast<uint32_t>(reverse_ ? groups_ - 1 - group : group), own = parts_ - 1;
    const uint32_t worst_at = reverse_ ? own + before : 0;
    for (uint32_t p = 0; p < kPlanes; ++p) {
      AscendC::Duplicate(Ends().Plane(p)[worst_at * unit], Scan::Worst(), static_cast<int32_t>(unit));
    }
    Indices kept;
    if constexpr (INDEXED) {
      kept = indices_.template Get<int32_t>();
      AscendC::Duplicate(kept[worst_at * unit], -1, static_cast<int32_t>(unit));
    }
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    for (uint32_t p = 0; p < kPlanes; ++p)
      CopyEnds(Ends().Plane(p), values_gm_, p * entries_, item, before, unit);
    if constexpr (INDEXED) CopyEnds(kept, indices_gm_, 0, item, before, unit);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    ScanEnds(scan, before + parts_, unit);
    const uint32_t from = reverse_ ? 0 : before * unit;
    for (uint32_t p = 0; p < kPlanes; ++p)
      FromUnits(carry.Plane(p), Scanned().Plane(p)[from], Ends().data, unit);
    if constexpr (INDEXED) {
      FromUnits(indices, kept[from], Ends().data.template ReinterpretCast<int32_t>(), unit);
    }
  }

 private:
  template <typename E, typename TBuffer>
  __aicore__ inline void InitZero(TBuffer &buffer, const Buffer &size) {
    pipe_->InitBuffer(buffer, size.bytes);
    AscendC::Duplicate(buffer.template Get<E>(), E(0), static_cast<int32_t>(size.bytes / sizeof(E)));
  }

  __aicore__ inline Tile Ends() { return {ends_.template Get<Key>(), pitch_}; }
  __aicore__ inline Tile Scanned() { return {scanned_.template Get<Key>(), pitch_}; }
  // Where a part's end lies in a plane of the workspace, in keys.
  __aicore__ inline int64_t Entry(int64_t item, uint32_t part) const {
    return (item * parts_ + part) * unit_;
  }

  // Loads the last end of each of the `before` tiles, and the ends of the tile's own parts but the last, in
  // the order of the axis.
  template <typename E>
  __aicore__ inline void CopyEnds(const AscendC::LocalTensor<E> &to, const AscendC::GlobalTensor<E> &gm,
                                  int64_t plane, int64_t item, uint32_t before, uint32_t unit) {
    const uint32_t own = parts_ - 1, tiles_at = reverse_ ? own : 1, own_at = reverse_ ? 0 : 1 + before;
    const int64_t first_tile = reverse_ ? item + column_tiles_ : item - before * column_tiles_;
    if (before > 0) {
      CopyRowsIn(to[tiles_at * unit], unit, gm, plane + Entry(first_tile, reverse_ ? 0 : own),
                 column_tiles_ * parts_ * unit_, before, unit);
    }
    if (own > 0) {
      CopyRowsIn(to[own_at * unit], unit, gm, plane + Entry(item, reverse_ ? 1 : 0), unit_, own, unit);
    }
  }

  // Scans the first `positions` ends and their indices.
  __aicore__ inline void ScanEnds(Scan &scan, uint32_t positions, uint32_t unit) {
    const ScanPath path{positions, unit, ROWS ? kRun : positions, reverse_};
    scan.Scan(Scanned(), Ends(), Ends(), false, path);
    if constexpr (INDEXED) {
      const uint32_t count = RoundUp(positions * unit, Scan::kRepeat);
      const auto leads = leads_.template Get<uint8_t>();
      const auto indices = indices_.template Get<int32_t>();
      MarkLeaders(leads, scratch_bits_.template Get<uint8_t>(), Ends(), Scanned(), kPlanes > 1, count);
      KeepLeaders(indices, leads, indices, count);
      const PlaneTile<int32_t> tile{indices, pitch_};
      index_scan_.Scan(tile, tile, tile, false, path);
    }
  }

  // Copies the keys of all parts to one unit each: the key of a row to all lanes of a data block.
  template <typename E>
  __aicore__ inline void ToUnits(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                 uint32_t unit) {
    if constexpr (ROWS) {
      constexpr uint32_t kBlock = ScanLayout::kKeyBlock;
      AscendC::Brcb(to, from, static_cast<uint8_t>(parts_ / kBlock), {1, kBlock});
    } else {
      Larger::Apply(to, from, from, static_cast<int32_t>(parts_ * unit));
    }
  }
  // The way back: takes the first key of each data block. work: as large as `from`.
  template <typename E>
  __aicore__ inline void FromUnits(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                                   const AscendC::LocalTensor<E> &work, uint32_t unit) {
    if constexpr (ROWS) {
      constexpr uint8_t kFirstOfFour = 3, kFirstOfTwo = 1;  // patterns of GatherMask
      constexpr uint32_t kBlock = ScanLayout::kKeyBlock;
      const AscendC::GatherMaskParams once(1, 1, 0, 0);
      uint64_t kept = 0;
      AscendC::GatherMask(work, from, kFirstOfFour, true, parts_ * kBlock, once, kept);
      AscendC::GatherMask(to, work, kFirstOfTwo, true, parts_ * kBlock / 4, once, kept);
    } else {
      Larger::Apply(to, from, from, static_cast<int32_t>(parts_ * unit));
    }
  }

  static constexpr uint32_t kRun = 16;  // positions of a run, where ends of rows are scanned

  AscendC::TPipe *pipe_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> ends_, scanned_, indices_, leads_, scratch_bits_;
  AscendC::GlobalTensor<Key> values_gm_;
  AscendC::GlobalTensor<int32_t> indices_gm_;
  BestScan<Larger, int32_t> index_scan_;  // the index of the best so far is the largest of those that lead
  int64_t groups_, column_tiles_;
  int64_t entries_;  // keys of a plane in the workspace
  uint32_t parts_;   // of a tile
  uint32_t unit_;    // keys of an end in the workspace; in UB a tile at the edge may have fewer
  uint32_t pitch_;   // keys of a plane in UB
  bool reverse_;
};

}  // namespace avo
