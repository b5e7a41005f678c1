// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"
#include "box_planes.h"

namespace avo {

constexpr uint64_t kStripLanes = 64;  // a strip has a multiple of this many lanes
constexpr uint64_t kPieceRows = 16;   // rows of a piece are a multiple of this
constexpr uint64_t kRowFill = 64;     // rows of words in UB are filled up to a multiple of this

// Where boxes are decided in strips: the strip of a core, and which of its rows.
struct StripPiece {
  uint64_t strip, begin, end;
};

// Returns how many cores have a piece where no piece has more than `share` rows. whole: boxes, rounded up to
// kStripLanes; lanes: those of a strip.
__aicore__ inline uint64_t StripPieces(uint64_t whole, uint64_t lanes, uint64_t share) {
  uint64_t pieces = 0;
  for (uint64_t first = 0; first < whole; first += lanes) pieces += (whole - first + share - 1) / share;
  return pieces;
}

// Returns the smallest number of rows of a piece with which there are at most `cores` pieces. There must not
// be more strips than cores.
__aicore__ inline uint64_t StripShare(uint64_t whole, uint64_t lanes, uint64_t cores) {
  uint64_t rows = 0;
  for (uint64_t first = 0; first < whole; first += lanes) rows += whole - first;
  uint64_t share = (rows / cores + kPieceRows - 1) / kPieceRows * kPieceRows;
  if (share == 0) share = kPieceRows;
  while (StripPieces(whole, lanes, share) > cores) share += kPieceRows;
  return share;
}

// Most strips where the boxes that are left of the worse half are decided. What they cost a step grows with
// their number.
constexpr uint64_t kLaterStrips = 8;

// Returns the lanes of these strips.
__aicore__ inline uint64_t LaterLanes(uint64_t whole) {
  return (whole + kLaterStrips * kStripLanes - 1) / (kLaterStrips * kStripLanes) * kStripLanes;
}

// Sizes of StripSuppression. All are 64 bits, because tiling also tries what is too large.
struct StripSizes {
  uint64_t boxes, item;   // item: bytes of a corner
  uint64_t stage;         // boxes that are decided at once
  uint64_t strip;         // lanes of a strip of the first stage
  uint64_t lanes, share;  // lanes of a strip and rows of a piece, both at most
  uint64_t rows;          // rows of a tile
  uint64_t bank;          // bytes of a bank: tiles lie in two, and boxes in a third; 1: wherever they fit
  bool classes;

  __aicore__ uint64_t Planes() const { return classes ? uint64_t{kClassPlanes} : uint64_t{kBoxPlanes}; }
  __aicore__ bool Staged() const { return stage < boxes; }
  // Strips of a stage at most.
  __aicore__ uint64_t Strips() const {
    const uint64_t strips = (stage + strip - 1) / strip;
    return Staged() ? Larger(strips, kLaterStrips) : strips;
  }
  __aicore__ uint64_t WordBytes() const { return Up(share, kRowFill) * lanes / 8; }
  // Bytes of a bit for each box of a stage.
  __aicore__ uint64_t GuessBytes() const { return Up(stage, 256) / 8; }
  // Sides of GM with answers: two that the steps of a stage write in turn. The second stage has one more.
  __aicore__ uint64_t Sides() const { return Staged() ? 5 : 2; }

  static __aicore__ uint64_t Up(uint64_t value, uint64_t unit) {
    return value + (unit - value % unit) % unit;
  }
  static __aicore__ uint64_t Larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
};

// item: bytes of a corner. tiling: boxes, stage, strip, stripRoom, share, stripRows, bank.
template <typename Tiling>
__aicore__ inline StripSizes StripSizesOf(const Tiling &tiling, uint64_t item, bool classes) {
  return {static_cast<uint64_t>(tiling.boxes),
          item,
          tiling.stage,
          tiling.strip,
          tiling.stripRoom,
          tiling.share,
          tiling.stripRows,
          tiling.bank,
          classes};
}

// What stays in UB while boxes are sorted and while they are decided. These buffers are given out first in
// both phases, so that they are at the same addresses.
struct StripPlanesBuffers {
  Buffer indices;       // int32: indices of all boxes by descending score, filled up to groups of lanes
  Buffer rows;          // float32: planes of the lanes while they are fetched, and of the rows behind them
  Buffer lanes;         // float32: planes of the lanes, two by two
  Buffer better_masks;  // 64 words: word i has the bits of the boxes before box i

  explicit __aicore__ StripPlanesBuffers(const StripSizes &sizes)
      : indices{1, StripSizes::Up(sizes.boxes, kStripLanes) * 4},
        rows{1, sizes.Planes() * (sizes.strip + sizes.share) * 4},
        lanes{1, SortedPlanesOf(sizes.classes) * sizes.lanes * 4},
        better_masks{1, 64 * 8} {}

  __aicore__ uint64_t Bytes() const { return indices.bytes + rows.bytes + lanes.bytes + better_masks.bytes; }
};

// All boxes as they come, and eight that are NaN.
struct LoadedBoxesBuffers {
  Buffer boxes;    // corners in their own dtype
  Buffer classes;  // int64

  explicit __aicore__ LoadedBoxesBuffers(const StripSizes &sizes)
      : boxes{1, (NanBox(sizes.boxes) + kNanBoxes) * 4 * sizes.item},
        classes{sizes.classes ? 1U : 0U, (NanBox(sizes.boxes) + kNanBoxes) * 8} {}

  static constexpr uint64_t kNanBoxes = 8;  // whole data blocks, of corners and of classes

  // The index of the first box that is NaN.
  static __aicore__ uint64_t NanBox(uint64_t boxes) { return StripSizes::Up(boxes, kNanBoxes); }

  // Bytes that it takes to fetch the planes of some boxes, in memory that the sort has used before: two rows
  // for each of them, beside the indices of a piece or the planes of as many boxes as a strip has lanes.
  static __aicore__ uint64_t Scratch(const StripSizes &sizes) {
    return StripSizes::Larger(3 * (sizes.strip + sizes.share), (sizes.Planes() + 2) * sizes.lanes) * 4;
  }
};

// What boxes are compared and decided in. The order matters: it puts the boxes, `work` and `iou` into banks
// of their own (iou.h). Where two tiles are larger than a bank, the last rows of the second one lie in the
// bank of `iou`. One of eleven instructions then waits in these rows; more rows save more starts of
// instructions.
struct StripBuffers {
  Buffer column;      // a data block for each row and plane of a tile
  Buffer class_bits;  // a word for each row of a tile
  Buffer alive;       // a bit for each row
  Buffer guesses;     // for each strip a bit for each box
  Buffer guess;       // two guesses, each a bit for each box
  Buffer blocks;      // a data block for each 32 bits of a guess
  Buffer equal;       // a bit for each 32 bits of a guess
  Buffer first_gap;   // not used
  Buffer work;        // two tiles for intermediate results; then the halves of words; then wide indices or
                      // the planes of a stage
  Buffer second_gap;  // not used
  Buffer iou;         // float32: overlaps of a tile; then words that are masked; then what is packed
  Buffer words;       // a word for each row and 64 lanes

  explicit __aicore__ StripBuffers(const StripSizes &sizes)
      : column{1, SortedPlanesOf(sizes.classes) * sizes.rows * 32},
        class_bits{1, sizes.rows * 8},
        alive{1, StripSizes::Up(sizes.share, kRowFill) / 8},
        guesses{1, sizes.Strips() * sizes.GuessBytes()},
        guess{1, 2 * GuessPitch(sizes)},
        blocks{1, sizes.GuessBytes() * 8},
        equal{1, 32 * (GuessPitch(sizes) / 256)},
        first_gap{1, Gap(FirstBytes(sizes), sizes.bank)},
        work{1, StripSizes::Larger(StripSizes::Larger(2 * sizes.rows * 256 + 256, PackedBytes(sizes)),
                                   StripSizes::Larger(sizes.WordBytes(), sizes.stage * 8))},
        second_gap{1, Gap(FirstBytes(sizes) + Filled(first_gap) + Filled(work), 2 * sizes.bank)},
        iou{1, StripSizes::Larger(sizes.rows * 256, StripSizes::Larger(sizes.WordBytes(), sizes.stage * 4))},
        words{1, sizes.WordBytes()} {}

  // Bytes of the planes of a stage, of which some boxes are packed.
  static __aicore__ uint64_t PackedBytes(const StripSizes &sizes) {
    return sizes.Staged() ? sizes.Planes() * sizes.stage * 4 : 0;
  }

  // Bytes from one guess to the next: a comparison reads a multiple of 256 bytes.
  static __aicore__ uint64_t GuessPitch(const StripSizes &sizes) {
    return StripSizes::Up(sizes.GuessBytes(), 256);
  }

 private:
  // Bytes from `begin` to a bank that starts at `end`, or to the next round over all bank groups where
  // `begin` is behind that. A buffer has one data block at least.
  static __aicore__ uint64_t Gap(uint64_t begin, uint64_t end) {
    return (begin + 32 < end ? end : StripSizes::Up(begin + 32, 512)) - begin;
  }
  static __aicore__ uint64_t Filled(const Buffer &buffer) { return StripSizes::Up(buffer.bytes, 32); }
  // Bytes of UB before the first gap.
  __aicore__ uint64_t FirstBytes(const StripSizes &sizes) const {
    return StripPlanesBuffers(sizes).Bytes() + Filled(column) + Filled(class_bits) + Filled(alive) +
           Filled(guesses) + Filled(guess) + Filled(blocks) + Filled(equal);
  }
};

}  // namespace avo
