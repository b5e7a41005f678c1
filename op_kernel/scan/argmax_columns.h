// SPDX-License-Identifier: Apache-2.0
// ArgMax along any dimension but the last: lanes are contiguous elements, and an instruction compares the
// elements at one index of the searched axis in all lanes. Where lanes are too few for all cores, the axis is
// cut into parts. Each core stores the best of its part in the workspace; the cores meet; then each joins the
// parts of 64 lanes at a time:
//
//   workspace   keys      | part 0: all lanes | part 1: all lanes | …     two planes of them for int64
//               indices   | part 0: all lanes | part 1: all lanes | …
#pragma once

#include "../common/vectors/nan_watch.h"
#include "argmax_tiles.h"

namespace avo {

template <typename T, typename I>
class ArgmaxColumns : ColumnTiles<LaneTiles<T, I>, T> {
  using Tiles = LaneTiles<T, I>;
  using Columns = ColumnTiles<LaneTiles<T, I>, T>;
  using Columns::column_;
  using Columns::columns_;
  using Columns::outer_;
  using Columns::slice_pitch_;
  using Columns::slices_;
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr bool kWhole = KeyPlanes<T>::kWhole, kWidened = !IsOwnKey(sizeof(T));

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    const ArgmaxColumnsBuffers buffers(tiling, Tiles::kFormat);
    this->InitColumns(tiling);
    this->InitTiles(in, tiling, buffers.tiles.tiles, ArgmaxColumnsBuffers::Elements(tiling), pipe,
                    !this->FillsLanes(tiling));
    this->InitMasks(buffers.tiles, pipe);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    this->InitLanes(tiling, buffers.tiles, tiling.pitch, pipe);
    all_lanes_ = tiling.outer * tiling.inner;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), all_lanes_);
    if constexpr (!kWhole) watch_.Init(buffers.watch, pipe);
    if (tiling.parts == 1) return;
    const int64_t stored = tiling.parts * all_lanes_;
    keys_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ Key *>(workspace), kPlanes * stored);
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace) + kPlanes * stored, stored);
    pipe->InitBuffer(parts_queue_, buffers.parts.count, buffers.parts.bytes);
    // Instructions compute lanes without elements too.
    ZeroQueue<int32_t>(parts_queue_, 1, static_cast<uint32_t>(buffers.parts.bytes / sizeof(int32_t)));
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    if (!SearchAll(false)) {
      AscendC::PipeBarrier<PIPE_MTE3>();
      SearchAll(true);
    }
    if (t.parts == 1) return;
    WaitForCores();
    const Share groups = CoreShare((all_lanes_ + Tiles::kRepeat - 1) / Tiles::kRepeat);
    for (int64_t group = groups.begin; group < groups.end; ++group) JoinParts(group * Tiles::kRepeat);
  }

 private:
  // Whether a NaN has been met. The scalar unit waits for the vector unit.
  __aicore__ inline bool AnyNan() {
    if constexpr (kWhole) {
      return false;
    } else {
      return watch_.Any(pipe_);
    }
  }

  // Searches all tiles of the core. Returns false where it has met a NaN although nans is false: results are
  // wrong then. It looks after the first tile, because where that has NaN, others are likely to have some,
  // too; and after the last one. Results are on their way while the vector unit looks.
  __aicore__ inline bool SearchAll(bool nans) {
    for (int64_t item = this->share_.begin; item < this->share_.end; ++item) {
      Search(item, nans);
      const bool looks = item == this->share_.begin || item + 1 == this->share_.end;
      if (!nans && looks && AnyNan()) return false;
    }
    return true;
  }

  // Finds the largest of each lane of a tile, and stores it. nans: whether keys may be NaN; else watch_
  // notices them.
  __aicore__ inline void Search(int64_t item, bool nans) {
    const auto &t = this->t_;
    this->Enter(item);
    repeats_ = (slices_ * slice_pitch_ + Tiles::kRepeat - 1) / Tiles::kRepeat;
    const int64_t from = PartBegin(this->part_, t.partLength, t.length);
    const int64_t pieces = this->Pieces(t.partLength);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t begin = this->PieceBegin(piece, pieces, t.partLength, kWidened);
      const int64_t end = this->PieceBegin(piece + 1, pieces, t.partLength, kWidened);
      Compute(from + begin, static_cast<uint32_t>(end - begin), piece == 0, nans);
    }
    if (t.parts > 1) {
      StorePart(this->part_);
    } else {
      CopyOut(outer_ * t.inner + column_, t.inner, slices_, columns_);
    }
    if constexpr (!kWhole) {
      if (!nans) watch_.Take(this->lanes_.Best(0), repeats_ * Tiles::kRepeat);
    }
  }

  // Compares positions [begin, begin + positions) of the tile in hand. first: they are its first ones.
  __aicore__ inline void Compute(int64_t begin, uint32_t positions, bool first, bool nans) {
    const auto &t = this->t_;
    auto tile = this->in_queue_.template AllocTensor<T>();
    this->CopyColumnsIn(tile, begin, positions);
    tile = this->Load(tile, positions * t.pitch);
    for (uint32_t p = 0; p < positions; ++p) {
      const KeyRepeats at{p * t.pitch, Tiles::kDense, repeats_, Tiles::kRepeat};
      const int32_t index = static_cast<int32_t>(begin + p);
      if (first && p == 0) {
        this->lanes_.Begin(this->keys_, at, index);
      } else {
        this->lanes_.KeepLarger(this->keys_, at, index, nans);
      }
    }
    this->in_queue_.FreeTensor(tile);
  }

  // Stores the indices of `slices` slices of `columns` lanes.
  __aicore__ inline void CopyOut(int64_t lane, int64_t gm_row, uint32_t slices, uint32_t columns) {
    auto out = out_queue_.template AllocTensor<I>();
    Tiles::ToIndexType(out, this->lanes_.Indices(), repeats_ * Tiles::kRepeat);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, lane, gm_row, out, slices > 1 ? slice_pitch_ : WholeUnits(columns, kIndexUnit),
                slices, columns);
    out_queue_.FreeTensor(out);
  }

  __aicore__ inline void StorePart(int64_t part) {
    const auto &t = this->t_;
    const int64_t lane = part * all_lanes_ + outer_ * t.inner + column_;
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    for (uint32_t p = 0; p < kPlanes; ++p) {
      CopyRowsOut(keys_gm_, p * t.parts * all_lanes_ + lane, t.inner, this->lanes_.Best(p), slice_pitch_,
                  slices_, columns_);
    }
    CopyRowsOut(indices_gm_, lane, t.inner, this->lanes_.Indices(), slice_pitch_, slices_, columns_);
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
  }

  // Joins all parts of 64 lanes, or those that are left, from `lane` on.
  __aicore__ inline void JoinParts(int64_t lane) {
    const auto &t = this->t_;
    constexpr uint32_t kRepeat = Tiles::kRepeat;
    const uint32_t lanes = TileExtent(lane, kRepeat, all_lanes_);
    const uint32_t plane = t.partsAtOnce * kRepeat;
    repeats_ = 1;
    this->lanes_.Reset(repeats_);
    for (int64_t begin = 0; begin < t.parts; begin += t.partsAtOnce) {
      const uint32_t count = TileExtent(begin, t.partsAtOnce, t.parts);
      auto stored = parts_queue_.template AllocTensor<int32_t>();
      StoredPlanes<Key> keys{stored.template ReinterpretCast<Key>(), plane};
      for (uint32_t p = 0; p < kPlanes; ++p) {
        CopyRowsIn(keys.Plane(p), kRepeat, keys_gm_, (p * t.parts + begin) * all_lanes_ + lane, all_lanes_,
                   count, lanes);
      }
      CopyRowsIn(stored[kPlanes * plane], kRepeat, indices_gm_, begin * all_lanes_ + lane, all_lanes_, count,
                 lanes);
      parts_queue_.EnQue(stored);
      stored = parts_queue_.template DeQue<int32_t>();
      for (uint32_t i = 0; i < count; ++i) {
        this->lanes_.KeepLarger(keys, {i * kRepeat, Tiles::kDense, 1, kRepeat}, stored[kPlanes * plane]);
      }
      parts_queue_.FreeTensor(stored);
    }
    CopyOut(lane, lanes, 1, lanes);
  }

  static constexpr uint32_t kIndexUnit = kBlockBytes / sizeof(int32_t);

  AscendC::TPipe *pipe_;
  NanWatch<Key> watch_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> parts_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  AscendC::GlobalTensor<Key> keys_gm_;
  AscendC::GlobalTensor<int32_t> indices_gm_;
  int64_t all_lanes_;  // of all slices and columns
  uint32_t repeats_;   // of lanes of the tile in hand
};

}  // namespace avo
