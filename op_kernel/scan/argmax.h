// SPDX-License-Identifier: Apache-2.0
// ArgMax: the index of the largest element of each line. It is bound by memory.
//   columns  along any dimension but the last: lanes are contiguous elements, and an instruction compares the
//            elements at one index of the searched axis in all lanes (argmax_columns.h)
//   half     the same of float16 whose indices fit 16 bits, in half as many repeats (half_columns.h)
//   lines    along the last dimension: neighbours of a line are halved to their maximum until a few are left;
//            the way back to the line leads to the index (line_tree.h). Lines of int64 are lanes, as columns
//            are. Few long lines are cut into parts; the cores meet, and join the results of the parts
//   short    along the last dimension, where lines are short: each line is a lane, and positions are folded
//            to their maximum (short_lines.h, slot_argmax.h)
// Budget: 1750 lines of code, because each of these ways is the fastest for some shapes.
#pragma once

#include "argmax_columns.h"
#include "argmax_parts.h"
#include "half_columns.h"
#include "lane_reduction.h"
#include "short_lines.h"
#include "tree_lines.h"

namespace avo {

// int64: lanes of a line are compared at all of its positions, and the largest lane is found at the end.
template <typename T, typename I>
class ArgmaxLines : LaneTiles<T, I>, ArgmaxParts<T, I> {
  using Tiles = LaneTiles<T, I>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    const ArgmaxLinesBuffers buffers(tiling, Tiles::kFormat);
    const uint32_t rows = tiling.tileOuter;
    this->InitTiles(in, tiling, buffers.tiles.tiles, ArgmaxLinesBuffers::Elements(tiling), pipe);
    this->InitLanes(tiling, buffers.tiles, rows * Tiles::kRepeat, pipe);
    this->InitMasks(buffers.tiles, pipe);
    reduction_.Init(buffers.reduction, rows, tiling.last != 0, pipe);
    this->InitParts(out, workspace, tiling, buffers, reduction_.ResultPitch(), pipe);
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.outerTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t first = item * t.tileOuter;
      const uint32_t rows = TileExtent(first, t.tileOuter, this->all_parts_);
      this->lanes_.Reset(rows);
      for (int64_t begin = 0; begin < t.partLength; begin += t.tileLength) {
        Compute(first, rows, begin, TileExtent(begin, t.tileLength, t.partLength));
      }
      reduction_.Reduce(this->lanes_, rows, TileExtent(0, Tiles::kRepeat, t.partLength));
      this->Store(reduction_.Results(0), first, rows);
    }
    this->JoinAllParts();
  }

 private:
  // Compares elements [begin, begin + count) of parts [first, first + rows). 64 elements of all parts lie
  // side by side, then the next 64, so that keys are as dense as the best of the lanes, and no bank holds
  // both.
  __aicore__ inline void Compute(int64_t first, uint32_t rows, int64_t begin, uint32_t count) {
    const uint32_t pitch = this->t_.tileOuter * Tiles::kRepeat;
    auto tile = this->in_queue_.template AllocTensor<T>();
    for (uint32_t x = 0; x < count; x += Tiles::kRepeat) {
      this->CopyPartsIn(tile[x / Tiles::kRepeat * pitch], Tiles::kRepeat, this->in_gm_, first, rows,
                        begin + x, TileExtent(x, Tiles::kRepeat, count), T(0));
    }
    tile = this->Load(tile, RoundUp(count, Tiles::kRepeat) / Tiles::kRepeat * pitch);
    for (uint32_t x = 0; x < count; x += Tiles::kRepeat) {
      this->lanes_.KeepLarger(
          this->keys_,
          {x / Tiles::kRepeat * pitch, Tiles::kDense, rows, TileExtent(x, Tiles::kRepeat, count)},
          static_cast<int32_t>(begin + x));
    }
    this->in_queue_.FreeTensor(tile);
  }

  LaneReduction<T> reduction_;
};

}  // namespace avo

// Tiling keys: columns, lines, short lines, half columns.
template <typename T, typename I, uint32_t KEY>
class Argmax : public avo::ArgmaxColumns<T, I> {};
template <typename T, typename I>
class Argmax<T, I, 1>
    : public std::conditional_t<sizeof(T) == sizeof(int64_t), avo::ArgmaxLines<T, I>, avo::TreeLines<T, I>> {
};
template <typename T, typename I>
class Argmax<T, I, 2> : public avo::ShortLines<T, I> {};
template <typename I>
class Argmax<half, I, 3> : public avo::HalfColumns<half, I> {};
