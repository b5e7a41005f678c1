// SPDX-License-Identifier: Apache-2.0
// Where the largest elements are: memory-bound.
//   columns  along any dimension but the last: lanes are contiguous elements, and each position of the
//            searched axis is offered to all of them
//   lines    along the last one: 64 neighbours of a line are offered to 64 lanes, and the lanes of a line
//            meet at its end. Few long lines are cut into parts; the cores meet, and put the results of parts
//            together
//   short    along the last one, where lines are short: lines are lanes (short_lines.h)
#pragma once

#include "across_lanes.h"
#include "argmax_tiling.h"
#include "leader_tiles.h"
#include "short_lines.h"

namespace avo {

template <typename T, typename I>
class ArgmaxColumns : LeaderTiles<T, ArgmaxTiling> {
  using Tiles = LeaderTiles<T, ArgmaxTiling>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitTiles(in, tiling, tiling.tileLength * tiling.pitch, tiling.pitch, pipe);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer * tiling.inner);
    pipe->InitBuffer(out_queue_, 2, tiling.pitch * sizeof(I));
    piece_ = (tiling.tileColumns + kUnit - 1) / kUnit * kUnit;
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.outerTiles * t.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      outer_ = item / t.columnTiles * t.tileOuter;
      slices_ = TileExtent(outer_, t.tileOuter, t.outer);
      column_ = item % t.columnTiles * t.tileColumns;
      columns_ = TileExtent(column_, t.tileColumns, t.inner);
      repeats_ = (slices_ * piece_ + Tiles::kRepeat - 1) / Tiles::kRepeat;
      this->leaders_.Reset(repeats_);
      for (int64_t begin = 0; begin < t.length; begin += t.tileLength) {
        Compute(begin, TileExtent(begin, t.tileLength, t.length));
      }
      CopyOut();
    }
  }

 private:
  // Elements that slices start at in UB: blocks of T, of keys and of results.
  static constexpr uint32_t kUnit = kBlockBytes / (sizeof(T) < sizeof(float) ? sizeof(T) : sizeof(float));

  __aicore__ inline void Compute(int64_t begin, uint32_t positions) {
    const auto &t = this->t_;
    auto tile = this->in_queue_.template AllocTensor<T>();
    for (uint32_t s = 0; s < slices_; ++s) {
      const int64_t from = ((outer_ + s) * t.length + begin) * t.inner + column_;
      CopyRowsIn(tile[s * piece_], t.pitch, this->in_gm_, from, t.inner, positions, columns_);
    }
    tile = this->Load(tile, positions * t.pitch);
    constexpr uint8_t kDense = 8;
    for (uint32_t p = 0; p < positions; ++p) {
      this->leaders_.Offer(this->keys_, p * t.pitch, kDense, Tiles::kRepeat, repeats_,
                           static_cast<int32_t>(begin + p));
    }
    this->in_queue_.FreeTensor(tile);
  }

  __aicore__ inline void CopyOut() {
    auto out = out_queue_.template AllocTensor<I>();
    const auto places = this->leaders_.Places();
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      AscendC::Adds(out, places, 0, repeats_ * Tiles::kRepeat);
    } else {
      AscendC::Cast(out, places, AscendC::RoundMode::CAST_NONE, repeats_ * Tiles::kRepeat);
    }
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, outer_ * this->t_.inner + column_, this->t_.inner, out, piece_, slices_, columns_);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  uint32_t piece_;
  // The tile in hand.
  int64_t outer_, column_;
  uint32_t slices_, columns_, repeats_;
};

template <typename T, typename I>
class ArgmaxLines : LeaderTiles<T, ArgmaxTiling> {
  using Tiles = LeaderTiles<T, ArgmaxTiling>;
  using Across = AcrossLanes<T>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    const uint32_t rows = tiling.tileOuter;
    // A last repeat may reach beyond the tile.
    this->InitTiles(in, tiling, rows * tiling.pitch + Tiles::kRepeat, rows * Tiles::kRepeat, pipe);
    across_.Init(rows, tiling.last != 0, pipe);
    all_parts_ = tiling.outer * tiling.parts;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer);
    pipe->InitBuffer(out_queue_, 2, across_.FoundPitch() * sizeof(I));
    if (tiling.parts > 1) {
      parts_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), kFound * all_parts_);
      pipe->InitBuffer(found_queue_, 1, kFound * across_.FoundPitch() * sizeof(float));
      pipe->InitBuffer(parts_queue_, 1, kFound * tiling.partsAtOnce * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.outerTiles);
    for (int64_t group = share.begin; group < share.end; ++group) {
      first_ = group * t.tileOuter;
      rows_ = TileExtent(first_, t.tileOuter, all_parts_);
      this->leaders_.Reset(rows_);
      for (int64_t begin = 0; begin < t.partLength; begin += t.tileLength) {
        Compute(begin, TileExtent(begin, t.tileLength, t.partLength));
      }
      across_.Reduce(this->leaders_, rows_, TileExtent(0, Tiles::kRepeat, t.partLength));
      if (t.parts > 1) {
        StoreParts();
      } else {
        auto out = out_queue_.template AllocTensor<I>();
        AscendC::Cast(out, across_.Found(Across::kLimbs), AscendC::RoundMode::CAST_RINT, rows_);
        CopyOut(out, first_, rows_);
      }
    }
    if (t.parts == 1) return;
    WaitForCores();
    const Share lines = CoreShare(t.outer);
    for (int64_t line = lines.begin; line < lines.end; ++line) Join(line);
  }

 private:
  static constexpr uint32_t kFound = Across::kLimbs + 1;

  // Where part `part` of a line begins: the last one ends where the line does.
  __aicore__ inline int64_t PartBegin(int64_t part) const {
    const int64_t begin = part * this->t_.partLength, most = this->t_.length - this->t_.partLength;
    return begin < most ? begin : most;
  }

  // Offers elements [begin, begin + count) of each part in hand.
  __aicore__ inline void Compute(int64_t begin, uint32_t count) {
    const auto &t = this->t_;
    auto tile = this->in_queue_.template AllocTensor<T>();
    if (t.parts == 1) {
      CopyRowsIn(tile, t.pitch, this->in_gm_, first_ * t.length + begin, t.length, rows_, count);
    } else {
      for (uint32_t r = 0; r < rows_; ++r) {
        const int64_t line = (first_ + r) / t.parts, part = (first_ + r) % t.parts;
        CopyRowsIn(tile[r * t.pitch], t.pitch, this->in_gm_, line * t.length + PartBegin(part) + begin, count,
                   1, count);
      }
    }
    tile = this->Load(tile, rows_ * t.pitch + Tiles::kRepeat);
    constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
    for (uint32_t x = 0; x < count; x += Tiles::kRepeat) {
      this->leaders_.Offer(this->keys_, x, static_cast<uint8_t>(t.pitch / kBlock),
                           TileExtent(x, Tiles::kRepeat, count), rows_, static_cast<int32_t>(begin + x));
    }
    this->in_queue_.FreeTensor(tile);
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<I> &results, int64_t line, uint32_t count) {
    out_queue_.EnQue(results);
    auto out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, line, count, out, across_.FoundPitch(), 1, count);
    out_queue_.FreeTensor(out);
  }

  __aicore__ inline void StoreParts() {
    auto found = found_queue_.template AllocTensor<float>();
    AscendC::Adds(found, across_.Found(0), 0.0f, kFound * across_.FoundPitch());
    found_queue_.EnQue(found);
    found = found_queue_.template DeQue<float>();
    CopyRowsOut(parts_gm_, first_, all_parts_, found, across_.FoundPitch(), kFound, rows_);
    found_queue_.FreeTensor(found);
  }

  // The leader of a line's parts, on the scalar unit: a few numbers a core.
  __aicore__ inline void Join(int64_t line) {
    const auto &t = this->t_;
    PartLeader<T> leader;
    for (int64_t begin = 0; begin < t.parts; begin += t.partsAtOnce) {
      const uint32_t count = TileExtent(begin, t.partsAtOnce, t.parts);
      auto parts = parts_queue_.template AllocTensor<float>();
      CopyRowsIn(parts, t.partsAtOnce, parts_gm_, line * t.parts + begin, all_parts_, kFound, count);
      parts_queue_.EnQue(parts);
      parts = parts_queue_.template DeQue<float>();
      WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
      for (uint32_t i = 0; i < count; ++i) {
        leader.Offer(parts[i], t.partsAtOnce, PartBegin(begin + i), t.last != 0);
      }
      WaitFor<AscendC::HardEvent::S_MTE2>(pipe_);
      parts_queue_.FreeTensor(parts);
    }
    auto out = out_queue_.template AllocTensor<I>();
    WaitFor<AscendC::HardEvent::MTE3_S>(pipe_);
    out.SetValue(0, static_cast<I>(leader.index));
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyOut(out, line, 1);
  }

  AscendC::TPipe *pipe_;
  Across across_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_, found_queue_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> parts_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  AscendC::GlobalTensor<float> parts_gm_;
  int64_t all_parts_;
  // Parts in hand: those from first_ on.
  int64_t first_;
  uint32_t rows_;
};

}  // namespace avo

template <typename T, typename I, uint32_t KEY>
class Argmax
    : public std::conditional_t<
          KEY == 0, avo::ArgmaxColumns<T, I>,
          std::conditional_t<KEY == 1, avo::ArgmaxLines<T, I>, avo::ShortLines<T, I, ArgmaxTiling>>> {};
