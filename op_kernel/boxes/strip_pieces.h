// SPDX-License-Identifier: Apache-2.0
// The piece of a core where boxes are compared in strips (strip_overlaps.h): which lanes, and which of their
// rows.
#pragma once

#include "../common/copies/row_copy.h"
#include "strip_buffers.h"

namespace avo {

class StripPieces {
 public:
  // Chooses the piece of this core of the strips of `count` boxes, each of `width` lanes.
  __aicore__ inline void ChoosePiece(uint32_t count, uint32_t width) {
    count_ = count;
    width_ = width;
    row_count_ = base_ = 0;
    const uint64_t whole = StripSizes::Up(count, kStripLanes);
    const uint64_t share = StripShare(whole, width, AscendC::GetBlockNum());
    auto place = static_cast<uint64_t>(AscendC::GetBlockIdx());
    for (uint64_t first = 0; first < whole; first += width) {
      const uint64_t pieces = (whole - first + share - 1) / share;
      if (place < pieces) return SetPiece(first / width, first, whole - first, pieces, place);
      place -= pieces;
    }
  }

  // Chooses the piece of this core where each of `lanes` boxes is better than each of `rows` others.
  __aicore__ inline void ChooseRectangle(uint32_t lanes, uint32_t rows) {
    const uint64_t groups = (lanes + kStripLanes - 1) / kStripLanes, cores = AscendC::GetBlockNum();
    constexpr uint64_t kTileRows = 24;  // what a tile costs in addition to its rows, counted in rows
    uint64_t least = ~uint64_t{0}, pieces = 1;
    for (uint64_t strips = 1; strips <= sizes_.Strips() && strips <= cores; ++strips) {
      const uint64_t own = (groups + strips - 1) / strips;
      const uint64_t share = StripSizes::Up((rows + cores / strips - 1) / (cores / strips), kPieceRows);
      const uint64_t work = own * (share + kTileRows * ((share + sizes_.rows - 1) / sizes_.rows));
      if (own * kStripLanes > sizes_.lanes || share > sizes_.share || work >= least) continue;
      least = work;
      width_ = static_cast<uint32_t>(own * kStripLanes);
      pieces = cores / strips;
    }
    count_ = lanes;
    row_count_ = 0;
    base_ = static_cast<uint32_t>(groups * kStripLanes);
    const uint64_t place = AscendC::GetBlockIdx(), strip = place / pieces;
    if (strip < Strips()) SetPiece(strip, base_, StripSizes::Up(rows, kPieceRows), pieces, place % pieces);
  }

  // Strips that there are.
  __aicore__ inline uint32_t Strips() const { return (count_ + width_ - 1) / width_; }

  // The piece: rows [Begin(), Begin() + RowCount()) of a strip. A core without a piece has no rows.
  __aicore__ inline uint32_t Strip() const { return strip_; }
  __aicore__ inline uint32_t Begin() const { return begin_ - base_; }
  __aicore__ inline uint32_t RowCount() const { return row_count_; }

 protected:
  // Groups of 64 lanes.
  __aicore__ inline uint32_t Groups() const {
    return (MinRemaining(count_ - strip_ * width_, width_) + static_cast<uint32_t>(kStripLanes) - 1) /
           static_cast<uint32_t>(kStripLanes);
  }

  StripSizes sizes_;
  uint32_t strip_ = 0, begin_ = 0, row_count_ = 0;  // the piece
  uint32_t base_ = 0;                               // the first of all rows, which are behind all lanes
  uint32_t width_ = 0;                              // lanes of a strip
  uint32_t count_ = 0;                              // boxes that are lanes

 private:
  // Makes piece `place` of as many as `pieces` of `rows` rows from row `first` on the one of this core. All
  // have as many rows, up to a unit.
  __aicore__ inline void SetPiece(uint64_t strip, uint64_t first, uint64_t rows, uint64_t pieces,
                                  uint64_t place) {
    const Share units = ShareOf(static_cast<int64_t>(rows / kPieceRows), static_cast<int64_t>(pieces),
                                static_cast<int64_t>(place));
    strip_ = static_cast<uint32_t>(strip);
    begin_ = static_cast<uint32_t>(first + units.begin * kPieceRows);
    row_count_ = static_cast<uint32_t>((units.end - units.begin) * kPieceRows);
  }
};

}  // namespace avo
