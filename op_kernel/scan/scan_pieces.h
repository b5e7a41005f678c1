// SPDX-License-Identifier: Apache-2.0
// The pieces of a scan's tiles, and their copies between GM and UB. scan_layout.h has drawings of tiles.
//
// ScanShape is the same for a whole launch. It gives the tile of each item of work, and each piece of a tile:
//
//   ScanShape (outer, length, inner)
//     TileOf(item)              → ScanTile    (slices, columns)
//     PieceOf(tile, number)     → ScanPiece   (positions)
#pragma once

#include "../common/vectors/lanes.h"
#include "key_planes.h"
#include "scan_layout.h"

namespace avo {

// The tile that an item of work is about.
struct ScanTile {
  int64_t first;     // index of the first slice's first element, in elements of a column
  int64_t column;    // first column
  int64_t axis;      // index of the first element along its line; not 0 only where lines are cut into parts
  uint32_t slices;   // slices, or parts of a line
  uint32_t columns;  // of each slice
};

// The positions of a tile that are in UB at one time.
struct ScanPiece {
  int64_t begin;  // first position, from the begin of each slice
  uint32_t positions;
  bool first, last;  // in the direction of the scan
  // A line that is cut into parts ends within a part, and so within a piece. Slices [0, full) have all
  // positions, slice `full` has `partial` ones, and slices behind it have none.
  uint32_t full, partial;
};

// How a launch cuts its tensor.
struct ScanShape {
  int64_t outer, length, inner;
  int64_t outer_tiles, column_tiles;
  uint32_t tile_slices, tile_columns, tile_positions;
  bool reverse;                  // scan from the last position to the first
  int64_t groups, slice_length;  // tiles of a line in parts, or 0; positions of a slice

  __aicore__ inline int64_t Tiles() const { return outer_tiles * column_tiles; }

  __aicore__ inline ScanTile TileOf(int64_t item) const {
    const int64_t number = item / column_tiles;
    ScanTile tile{};
    tile.column = item % column_tiles * tile_columns;
    tile.columns = TileExtent(tile.column, tile_columns, inner);
    if (groups > 0) {
      tile.slices = tile_slices;
      tile.axis = number % groups * tile_slices * slice_length;
      tile.first = number / groups * length + tile.axis;
    } else {
      tile.slices = TileExtent(number * tile_slices, tile_slices, outer);
      tile.first = number * tile_slices * length;
    }
    return tile;
  }

  // Pieces of a tile.
  __aicore__ inline int64_t Pieces() const { return (slice_length + tile_positions - 1) / tile_positions; }

  // Piece `number` in the direction of the scan.
  __aicore__ inline ScanPiece PieceOf(const ScanTile &tile, int64_t number) const {
    const int64_t pieces = Pieces();
    ScanPiece piece{};
    piece.begin = (reverse ? pieces - 1 - number : number) * tile_positions;
    piece.positions = TileExtent(piece.begin, tile_positions, slice_length);
    piece.first = number == 0;
    piece.last = number == pieces - 1;
    piece.full = tile.slices;
    if (groups > 0) CutToLine(tile, &piece);
    return piece;
  }

 private:
  // Finds which slices the line fills.
  __aicore__ inline void CutToLine(const ScanTile &tile, ScanPiece *piece) const {
    const int64_t left = length - tile.axis - piece->begin;
    const int64_t fit = left < piece->positions ? 0 : (left - piece->positions) / slice_length + 1;
    piece->full = MinRemaining(fit, tile.slices);
    const int64_t behind = left - piece->full * slice_length;
    if (piece->full < tile.slices && behind > 0) piece->partial = MinRemaining(behind, piece->positions);
  }
};

// Walks over the pieces of this core's tiles, and copies them.
template <typename T, bool ROWS>
class ScanPieces {
 protected:
  static constexpr ScanLayout kLayout{sizeof(T), ROWS};

  template <typename Tiling>
  __aicore__ inline void InitPieces(const Tiling &tiling, const ScanTileSize &size, bool reverse,
                                    AscendC::TPipe *pipe) {
    shape_ = {tiling.outer,     tiling.length,      tiling.inner,      tiling.outerTiles, tiling.columnTiles,
              tiling.tileOuter, tiling.tileColumns, tiling.tileLength, reverse,           0,
              tiling.length};
    most_copied_ = size.copied;
    row_pitch_ = tiling.rowPitch;
    pipe_ = pipe;
  }

  // Lines are cut into parts of `length` positions, those of a line into `groups` tiles; 0 for whole lines.
  __aicore__ inline void CutLines(int64_t groups, int64_t length) {
    shape_.groups = groups;
    if (groups > 0) shape_.slice_length = length;
  }

  // Calls kernel.Compute() for each piece of this core's tiles, in the direction of the scan.
  template <typename Kernel>
  __aicore__ inline void ProcessTiles(Kernel &kernel) {
    const Share share = CoreShare(shape_.Tiles());
    for (int64_t item = share.begin; item < share.end; ++item) {
      SetTile(item);
      ProcessPieces(kernel);
    }
  }
  __aicore__ inline void SetTile(int64_t item) { tile_ = shape_.TileOf(item); }
  template <typename Kernel>
  __aicore__ inline void ProcessPieces(Kernel &kernel) {
    const int64_t pieces = shape_.Pieces();
    for (int64_t number = 0; number < pieces; ++number) {
      piece_ = shape_.PieceOf(tile_, number);
      kernel.Compute();
    }
  }

  // Elements of a position of the tile in hand.
  __aicore__ inline uint32_t Width() const { return kLayout.Width(tile_.slices, tile_.columns); }
  // Elements from one slice of a position to the next one.
  __aicore__ inline uint32_t SlicePitch() const { return Width() / tile_.slices; }
  // Elements of the piece in hand; rows end with a whole transposition.
  __aicore__ inline uint32_t Elements() const {
    return (ROWS ? RoundUp(piece_.positions, kRowPositions) : piece_.positions) * Width();
  }

  // Loads the piece in hand of `gm`, as it lies there.
  template <typename Queue, typename E>
  __aicore__ inline AscendC::LocalTensor<E> CopyIn(Queue &queue, const AscendC::GlobalTensor<E> &gm) {
    auto copied = queue.template AllocTensor<E>();
    if (piece_.full < tile_.slices) FillNeutral(copied);
    if constexpr (ROWS) {
      if (piece_.full > 0) {
        CopyRowsIn(copied, row_pitch_, gm, GmOffset(0), shape_.slice_length, piece_.full, piece_.positions,
                   Neutral<E>());
      }
      if (piece_.partial > 0) {
        CopyRowsIn(copied[piece_.full * row_pitch_], row_pitch_, gm, GmOffset(piece_.full),
                   shape_.slice_length, 1, piece_.partial, Neutral<E>());
      }
    } else {
      for (uint32_t s = 0; s < tile_.slices && PositionsOf(s) > 0; ++s) {
        CopyRowsIn(copied[s * SlicePitch()], Width(), gm, GmOffset(s), shape_.inner, PositionsOf(s),
                   tile_.columns);
      }
    }
    queue.EnQue(copied);
    return queue.template DeQue<E>();
  }

  // Stores `tile`, which lies in UB as in GM, to the piece in hand of `gm`, and frees it. pitch: elements
  // from row to row.
  template <typename Queue, typename E>
  __aicore__ inline void Store(Queue &queue, const AscendC::GlobalTensor<E> &gm,
                               const AscendC::LocalTensor<E> &tile, uint32_t pitch) {
    queue.EnQue(tile);
    auto ready = queue.template DeQue<E>();
    if constexpr (ROWS) {
      if (piece_.full > 0) {
        CopyRowsOut(gm, GmOffset(0), shape_.slice_length, ready, pitch, piece_.full, piece_.positions);
      }
      if (piece_.partial > 0) {
        CopyRowsOut(gm, GmOffset(piece_.full), shape_.slice_length, ready[piece_.full * pitch], pitch, 1,
                    piece_.partial);
      }
    } else {
      for (uint32_t s = 0; s < tile_.slices && PositionsOf(s) > 0; ++s) {
        CopyRowsOut(gm, GmOffset(s), shape_.inner, ready[s * SlicePitch()], Width(), PositionsOf(s),
                    tile_.columns);
      }
    }
    queue.FreeTensor(ready);
  }

  AscendC::TPipe *pipe_;
  ScanShape shape_;
  ScanTile tile_;    // in hand
  ScanPiece piece_;  // in hand
  uint32_t most_copied_, row_pitch_;

 private:
  __aicore__ inline int64_t GmOffset(uint32_t slice) const {
    return (tile_.first + slice * shape_.slice_length + piece_.begin) * shape_.inner + tile_.column;
  }
  // Positions that slice `slice` has in the piece in hand.
  __aicore__ inline uint32_t PositionsOf(uint32_t slice) const {
    return slice < piece_.full ? piece_.positions : slice == piece_.full ? piece_.partial : 0;
  }

  // The value of elements behind the end of a line. A scan from the last position to the first meets them
  // before it meets the line, so they must lose against every element. Only maxima of floats are scanned in
  // this direction.
  template <typename E>
  static __aicore__ inline E Neutral() {
    if constexpr (KeyPlanes<E>::kWhole) {
      return E(0);
    } else {
      return E(-__builtin_inff());
    }
  }
  template <typename E>
  __aicore__ inline void FillNeutral(const AscendC::LocalTensor<E> &copied) {
    if constexpr (sizeof(E) == sizeof(int64_t)) {
      AscendC::Duplicate(copied.template ReinterpretCast<int32_t>(), 0,
                         static_cast<int32_t>(2 * most_copied_));
    } else {
      AscendC::Duplicate(copied, Neutral<E>(), static_cast<int32_t>(most_copied_));
    }
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
  }
};

}  // namespace avo
