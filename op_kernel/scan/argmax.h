// SPDX-License-Identifier: Apache-2.0
// ArgMax: the index of the largest element of each line. It is bound by memory.
//   columns  along any dimension but the last: lanes are contiguous elements, and an instruction compares the
//            elements at one index of the searched axis in all lanes
//   lines    along the last dimension: 64 neighbours of a line are compared in 64 lanes, and the largest lane
//            is found at the end of the line. Few long lines are cut into parts; the cores meet, and join the
//            results of the parts
//   short    along the last dimension, where lines are short: each line is a lane (short_lines.h)
#pragma once

#include "argmax_tiles.h"
#include "lane_reduction.h"
#include "short_lines.h"

namespace avo {

template <typename T, typename I>
class ArgmaxColumns : ArgmaxTiles<T, I> {
  using Tiles = ArgmaxTiles<T, I>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    const ArgmaxColumnsBuffers buffers(tiling, Tiles::kFormat);
    this->InitTiles(in, tiling, buffers.tiles, ArgmaxColumnsBuffers::Elements(tiling), tiling.pitch, pipe);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer * tiling.inner);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    slice_pitch_ = WholeUnits(tiling.tileColumns, CopyUnit(sizeof(T)));
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.outerTiles * t.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      outer_ = item / t.columnTiles * t.tileOuter;
      slices_ = TileExtent(outer_, t.tileOuter, t.outer);
      column_ = item % t.columnTiles * t.tileColumns;
      columns_ = TileExtent(column_, t.tileColumns, t.inner);
      repeats_ = (slices_ * slice_pitch_ + Tiles::kRepeat - 1) / Tiles::kRepeat;
      this->lanes_.Reset(repeats_);
      for (int64_t begin = 0; begin < t.length; begin += t.tileLength) {
        Compute(begin, TileExtent(begin, t.tileLength, t.length));
      }
      CopyOut();
    }
  }

 private:
  // Compares positions [begin, begin + positions) of the tile in hand.
  __aicore__ inline void Compute(int64_t begin, uint32_t positions) {
    const auto &t = this->t_;
    auto tile = this->in_queue_.template AllocTensor<T>();
    for (uint32_t s = 0; s < slices_; ++s) {
      const int64_t from = ((outer_ + s) * t.length + begin) * t.inner + column_;
      CopyRowsIn(tile[s * slice_pitch_], t.pitch, this->in_gm_, from, t.inner, positions, columns_);
    }
    tile = this->Load(tile, positions * t.pitch);
    for (uint32_t p = 0; p < positions; ++p) {
      this->lanes_.KeepLarger(this->keys_, {p * t.pitch, Tiles::kDense, repeats_, Tiles::kRepeat},
                              static_cast<int32_t>(begin + p));
    }
    this->in_queue_.FreeTensor(tile);
  }

  __aicore__ inline void CopyOut() {
    auto out = out_queue_.template AllocTensor<I>();
    Tiles::ToIndexType(out, this->lanes_.Indices(), repeats_ * Tiles::kRepeat);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, outer_ * this->t_.inner + column_, this->t_.inner, out, slice_pitch_, slices_,
                columns_);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  uint32_t slice_pitch_;  // elements from one slice of a position to the next one
  // The tile in hand: its first slice and column, how many of each it has, and their repeats of lanes.
  int64_t outer_, column_;
  uint32_t slices_, columns_, repeats_;
};

template <typename T, typename I>
class ArgmaxLines : ArgmaxTiles<T, I> {
  using Tiles = ArgmaxTiles<T, I>;
  using Reduction = LaneReduction<T>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    const ArgmaxLinesBuffers buffers(tiling, Tiles::kFormat);
    const uint32_t rows = tiling.tileOuter;
    this->InitTiles(in, tiling, buffers.tiles, ArgmaxLinesBuffers::Elements(tiling), rows * Tiles::kRepeat,
                    pipe);
    reduction_.Init(buffers.reduction, rows, tiling.last != 0, pipe);
    all_parts_ = tiling.outer * tiling.parts;
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    if (tiling.parts > 1) {
      parts_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), kPartResults * all_parts_);
      pipe->InitBuffer(part_results_queue_, buffers.part_results.count, buffers.part_results.bytes);
      pipe->InitBuffer(parts_queue_, buffers.parts.count, buffers.parts.bytes);
    }
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.outerTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      first_ = item * t.tileOuter;
      rows_ = TileExtent(first_, t.tileOuter, all_parts_);
      this->lanes_.Reset(rows_);
      for (int64_t begin = 0; begin < t.partLength; begin += t.tileLength) {
        Compute(begin, TileExtent(begin, t.tileLength, t.partLength));
      }
      reduction_.Reduce(this->lanes_, rows_, TileExtent(0, Tiles::kRepeat, t.partLength));
      if (t.parts > 1) {
        StoreParts();
      } else {
        auto out = out_queue_.template AllocTensor<I>();
        AscendC::Cast(out, reduction_.Results(Reduction::kLimbs), AscendC::RoundMode::CAST_RINT, rows_);
        CopyOut(out, first_, rows_);
      }
    }
    if (t.parts == 1) return;
    WaitForCores();
    const Share lines = CoreShare(t.outer);
    for (int64_t line = lines.begin; line < lines.end; ++line) JoinParts(line);
  }

 private:
  static constexpr uint32_t kPartResults = Reduction::kLimbs + 1;  // of each part: limbs and index

  // The index along the line at which part `part` begins. The last part ends where the line ends.
  __aicore__ inline int64_t PartBegin(int64_t part) const {
    const int64_t begin = part * this->t_.partLength, most = this->t_.length - this->t_.partLength;
    return begin < most ? begin : most;
  }

  // Compares elements [begin, begin + count) of each part in hand.
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
    const uint8_t stride = static_cast<uint8_t>(t.pitch / ArgmaxFormat::kKeyBlock);
    for (uint32_t x = 0; x < count; x += Tiles::kRepeat) {
      this->lanes_.KeepLarger(this->keys_, {x, stride, rows_, TileExtent(x, Tiles::kRepeat, count)},
                              static_cast<int32_t>(begin + x));
    }
    this->in_queue_.FreeTensor(tile);
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<I> &results, int64_t line, uint32_t count) {
    out_queue_.EnQue(results);
    auto out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, line, count, out, reduction_.ResultPitch(), 1, count);
    out_queue_.FreeTensor(out);
  }

  // Stores the results of the parts in hand to the workspace, limb behind limb.
  __aicore__ inline void StoreParts() {
    auto results = part_results_queue_.template AllocTensor<float>();
    AscendC::Adds(results, reduction_.Results(0), 0.0f, kPartResults * reduction_.ResultPitch());
    part_results_queue_.EnQue(results);
    results = part_results_queue_.template DeQue<float>();
    CopyRowsOut(parts_gm_, first_, all_parts_, results, reduction_.ResultPitch(), kPartResults, rows_);
    part_results_queue_.FreeTensor(results);
  }

  // Finds the largest element of a line among the results of its parts, on the scalar unit: they are a few
  // numbers for each core.
  __aicore__ inline void JoinParts(int64_t line) {
    const auto &t = this->t_;
    PartArgmax<T> largest;
    for (int64_t begin = 0; begin < t.parts; begin += t.partsAtOnce) {
      const uint32_t count = TileExtent(begin, t.partsAtOnce, t.parts);
      auto parts = parts_queue_.template AllocTensor<float>();
      CopyRowsIn(parts, t.partsAtOnce, parts_gm_, line * t.parts + begin, all_parts_, kPartResults, count);
      parts_queue_.EnQue(parts);
      parts = parts_queue_.template DeQue<float>();
      WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
      for (uint32_t i = 0; i < count; ++i) {
        largest.KeepLarger(parts[i], t.partsAtOnce, PartBegin(begin + i), t.last != 0);
      }
      WaitFor<AscendC::HardEvent::S_MTE2>(pipe_);
      parts_queue_.FreeTensor(parts);
    }
    auto out = out_queue_.template AllocTensor<I>();
    WaitFor<AscendC::HardEvent::MTE3_S>(pipe_);
    out.SetValue(0, static_cast<I>(largest.index));
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyOut(out, line, 1);
  }

  AscendC::TPipe *pipe_;
  Reduction reduction_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_, part_results_queue_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> parts_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  AscendC::GlobalTensor<float> parts_gm_;
  int64_t all_parts_;  // of all lines
  // Parts [first_, first_ + rows_) of all_parts_ are in hand; each is a row of the tile.
  int64_t first_;
  uint32_t rows_;
};

}  // namespace avo

template <typename T, typename I, uint32_t KEY>
class Argmax
    : public std::conditional_t<KEY == 0, avo::ArgmaxColumns<T, I>,
                                std::conditional_t<KEY == 1, avo::ArgmaxLines<T, I>, avo::ShortLines<T, I>>> {
};
