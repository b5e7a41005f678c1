// SPDX-License-Identifier: Apache-2.0
// The input of ArgMax, the queue through which its tiles come to UB, and the tiles of columns.
#pragma once

#include "../common/copies/row_copy.h"
#include "argmax_buffers.h"
#include "key_planes.h"

namespace avo {

// The index along a line at which part `part` begins. The last part ends where the line ends.
__aicore__ inline int64_t PartBegin(int64_t part, int64_t part_length, int64_t length) {
  const int64_t begin = part * part_length, most = length - part_length;
  return begin < most ? begin : most;
}

template <typename T, typename I>
class ArgmaxInput {
 protected:
  static constexpr ArgmaxFormat kFormat{sizeof(T), KeyPlanes<T>::kWhole, sizeof(I)};

  __aicore__ inline void InitInput(GM_ADDR in, const ArgmaxTiling &tiling, const Buffer &queue,
                                   AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.outer * t_.length * t_.inner);
    // The input is read once, and it is too large to lie in the L2 still since it was written.
    if (t_.bypass != 0) in_gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    pipe->InitBuffer(in_queue_, queue.count, queue.bytes);
  }

  ArgmaxTiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::GlobalTensor<T> in_gm_;
};

// Tiles of columns: some slices, and some contiguous elements of each, along a part of the searched axis.
// Lanes are the elements of a position; slices begin `slice_pitch_` elements apart. Input: ArgmaxInput of T,
// or a class of it.
template <typename Input, typename T>
class ColumnTiles : protected Input {
 protected:
  __aicore__ inline void InitColumns(const ArgmaxTiling &tiling) {
    slice_pitch_ = WholeUnits(tiling.tileColumns, CopyUnit(sizeof(T)));
    share_ = CoreShare(tiling.outerTiles * tiling.parts * tiling.columnTiles);
  }

  // Goes to an item of the core's share.
  __aicore__ inline void Enter(int64_t item) {
    const auto &t = this->t_;
    outer_ = item / (t.columnTiles * t.parts) * t.tileOuter;
    slices_ = TileExtent(outer_, t.tileOuter, t.outer);
    column_ = item % t.columnTiles * t.tileColumns;
    columns_ = TileExtent(column_, t.tileColumns, t.inner);
    part_ = item / t.columnTiles % t.parts;
  }

  // Pieces of `length` positions: the fewest that fit a tile, and as equal as can be, because behind a short
  // piece the next tile would wait for the vector unit. Piece i begins at PieceBegin(i, …). Where copies
  // bound, the longer pieces come first, because what follows the last copy is short then; where keys are
  // made of elements, the vector unit bounds, and begins sooner if the shorter ones come first.
  __aicore__ inline int64_t Pieces(int64_t length) const {
    return (length + this->t_.tileLength - 1) / this->t_.tileLength;
  }
  static __aicore__ inline int64_t PieceBegin(int64_t piece, int64_t pieces, int64_t length,
                                              bool widened = false) {
    return (length * piece + (widened ? 0 : pieces - 1)) / pieces;
  }

  // Copies positions [begin, begin + positions).
  __aicore__ inline void CopyColumnsIn(const AscendC::LocalTensor<T> &tile, int64_t begin,
                                       uint32_t positions) {
    const auto &t = this->t_;
    for (uint32_t s = 0; s < slices_; ++s) {
      const int64_t from = ((outer_ + s) * t.length + begin) * t.inner + column_;
      CopyRowsIn(tile[s * slice_pitch_], t.pitch, this->in_gm_, from, t.inner, positions, columns_);
    }
  }

  // Whether no tile of the core has lanes without elements.
  __aicore__ inline bool FillsLanes(const ArgmaxTiling &t) const {
    const bool last_columns = share_.end / t.columnTiles > share_.begin / t.columnTiles;
    const bool last_slices = share_.end > (t.outerTiles - 1) * t.parts * t.columnTiles;
    return t.tileOuter * t.tileColumns == t.pitch && (t.inner % t.tileColumns == 0 || !last_columns) &&
           (t.outer % t.tileOuter == 0 || !last_slices);
  }

  Share share_;
  uint32_t slice_pitch_;
  // The tile in hand: its first slice and column, how many of each it has, and the part of the axis.
  int64_t outer_, column_, part_;
  uint32_t slices_, columns_;
};

}  // namespace avo
