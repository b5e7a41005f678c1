// SPDX-License-Identifier: Apache-2.0
// ArgMax along the last axis by a LineTree. A tile has some lines, or parts of lines, whole; or it has a
// piece of one that is longer than the Unified Buffer, and the scalar unit keeps the best of the pieces.
//
// Where only one tile is in UB at a time, it comes in some copies, and is folded as they arrive.
#pragma once

#include "argmax_input.h"
#include "argmax_parts.h"
#include "line_tree.h"

namespace avo {

template <typename T, typename I>
class TreeLines : ArgmaxInput<T, I>, ArgmaxParts<T, I> {
  using Input = ArgmaxInput<T, I>;
  using Tree = LineTree<T>;
  using Input::in_gm_;
  using Input::in_queue_;
  using Input::t_;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    const TreeLinesBuffers buffers(tiling, Input::kFormat, Tree::kDirect);
    if (tiling.queue == 1) CutTile(tiling, pipe);
    this->InitInput(in, tiling, buffers.in, pipe);
    for (uint32_t i = 0; t_.queue > 1 && i < t_.queue; ++i) {
      auto tile = in_queue_.template AllocTensor<T>();
      FillGaps(tile);
      in_queue_.FreeTensor(tile);
    }
    this->InitParts(out, workspace, tiling, buffers, LineTreeBuffers::ResultPitch(tiling.tileOuter), pipe);
    // The first tile is on its way while the tree prepares itself, and the gaps of a tile alone are filled.
    const Share share = CoreShare(t_.outerTiles);
    place_ = {share.begin, share.end, 0};
    Load();
    if (t_.queue == 1) FillGaps(arriving_);
    tree_.Init(buffers.tree, tiling, tiling.last != 0, pipe);
  }

  __aicore__ inline void Process() {
    const Share share = CoreShare(t_.outerTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t first = item * t_.tileOuter;
      const uint32_t rows = TileExtent(first, t_.tileOuter, this->all_parts_);
      if (t_.tileLength == t_.partLength) {
        Find(rows, t_.tileLength);
      } else {
        FindInPieces();
      }
      this->Store(tree_.Results(0), first, rows);
    }
    this->JoinAllParts();
  }

 private:
  // Where the next tile is that has not been loaded: element `begin` of the parts of item `item`.
  struct Place {
    int64_t item, end, begin;
  };

  // Begins to load the next tile, if there is one.
  __aicore__ inline void Load() {
    if (place_.item == place_.end) return;
    const int64_t first = place_.item * t_.tileOuter, begin = place_.begin;
    const uint32_t rows = TileExtent(first, t_.tileOuter, this->all_parts_);
    const uint32_t count = TileExtent(begin, t_.tileLength, t_.partLength);
    auto tile = in_queue_.template AllocTensor<T>();
    // The last tile of all, and the last piece of a line, leave room.
    if (rows < t_.tileOuter) FillLeast(tile, rows * t_.pitch, rows * t_.pitch + TreeLinesBuffers::kBehind);
    if (count < t_.tileLength) FillLeast(tile, RoundUp(count, kCopied), t_.pitch);
    if (t_.queue > 1) {
      this->CopyPartsIn(tile, t_.pitch, in_gm_, first, rows, begin, count, Least());
      in_queue_.EnQue(tile);
    } else {
      LoadPieces(tile, first, rows, begin, count);
      arriving_ = tile;
    }
    place_.begin += count;
    if (place_.begin < t_.partLength) return;
    place_ = {place_.item + 1, place_.end, 0};
  }

  // Cuts tiles into pieces: some lines, or, of a line alone, some data blocks of keys. A piece is whole
  // instructions down to the level that the first step ends with, so that none reads beyond it.
  __aicore__ inline void CutTile(const ArgmaxTiling &tiling, AscendC::TPipe *pipe) {
    constexpr uint32_t kRows = LineTreeBuffers::kRowGroup, kBlocks = kRows * LineTreeBuffers::kChildren;
    constexpr uint32_t kStep = LineTreeBuffers::kStep;
    const uint32_t rows = tiling.tileOuter, line_blocks = tiling.top << tiling.levels;
    const uint32_t left = line_blocks >> (tiling.levels < kStep ? tiling.levels : kStep);
    uint32_t unit = 1;
    while (unit * left % kRows != 0) unit *= 2;
    piece_rows_ = rows > 1 ? RoundUp((rows + kMostPieces - 1) / kMostPieces, unit) : 1;
    piece_blocks_ = rows > 1 ? piece_rows_ * line_blocks
                             : RoundUp((line_blocks + kMostPieces - 1) / kMostPieces, kBlocks);
    for (uint32_t piece = 0; piece < kMostPieces; ++piece) {
      arrived_[piece] = static_cast<event_t>(pipe->AllocEventID<AscendC::HardEvent::MTE2_V>());
    }
  }
  // Pieces of a tile of so many rows.
  __aicore__ inline uint32_t Pieces(uint32_t rows) const {
    return (rows * LineBlocks() + piece_blocks_ - 1) / piece_blocks_;
  }
  // Data blocks of keys of a line.
  __aicore__ inline uint32_t LineBlocks() const { return t_.top << t_.levels; }

  __aicore__ inline void LoadPieces(const AscendC::LocalTensor<T> &tile, int64_t first, uint32_t rows,
                                    int64_t begin, uint32_t count) {
    const uint32_t elements = piece_blocks_ * (t_.pitch / LineBlocks());
    for (uint32_t piece = 0; piece < Pieces(rows); ++piece) {
      if (rows > 1) {
        const uint32_t row = piece * piece_rows_;
        this->CopyPartsIn(tile[row * t_.pitch], t_.pitch, in_gm_, first + row,
                          MinRemaining(rows - row, piece_rows_), begin, count, Least());
      } else if (piece * elements < count) {
        const uint32_t at = piece * elements;
        this->CopyPartsIn(tile[at], t_.pitch, in_gm_, first, 1, begin + at,
                          MinRemaining(count - at, elements), Least());
      }
      AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived_[piece]);
    }
  }

  // Finds the largest of the first `count` elements of each of the `rows` lines that are being loaded.
  __aicore__ inline void Find(uint32_t rows, uint32_t count) {
    const uint32_t blocks = rows * LineBlocks();
    if (t_.queue == 1) {
      for (uint32_t piece = 0; piece < Pieces(rows); ++piece) {
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived_[piece]);
        tree_.Fold(arriving_, piece * piece_blocks_, MinRemaining(blocks, (piece + 1) * piece_blocks_));
      }
      in_queue_.EnQue(arriving_);
    }
    auto tile = in_queue_.template DeQue<T>();
    if (t_.queue > 1) {
      Load();
      tree_.Fold(tile, 0, blocks);
    }
    tree_.Find(tile, rows, count);
    in_queue_.FreeTensor(tile);
    if (t_.queue == 1) Load();
  }

  __aicore__ inline void FindInPieces() {
    PartArgmax<T> largest;
    for (int64_t begin = 0; begin < t_.partLength; begin += t_.tileLength) {
      Find(1, TileExtent(begin, t_.tileLength, t_.partLength));
      WaitFor<AscendC::HardEvent::V_S>(this->pipe_);
      largest.KeepLarger(tree_.Results(0), tree_.ResultPitch(), begin, t_.last != 0);
      WaitFor<AscendC::HardEvent::S_V>(this->pipe_);
    }
    for (uint32_t limb = 0; limb < Tree::kLimbs; ++limb) tree_.Results(limb).SetValue(0, largest.best[limb]);
    tree_.Results(Tree::kLimbs).SetValue(0, ToFloat(largest.index));
    WaitFor<AscendC::HardEvent::S_V>(this->pipe_);
  }

  static constexpr bool kFloat =
      std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

  static __aicore__ inline T Least() {
    if constexpr (kFloat) {
      return T(-__builtin_inff());
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      return 0;
    } else {
      return static_cast<T>(1U << (8 * sizeof(T) - 1));
    }
  }
  // The bits of the least element, twice in four bytes for elements of two bytes, four times for one byte.
  static __aicore__ inline uint32_t LeastBits() {
    if constexpr (kFloat) {
      return std::is_same_v<T, float> ? 0xff800000u : std::is_same_v<T, half> ? 0xfc00fc00u : 0xff80ff80u;
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      return 0;
    } else {
      return sizeof(T) == 4 ? 0x80000000u : sizeof(T) == 2 ? 0x80008000u : 0x80808080u;
    }
  }
  // Elements [begin, end), which are whole data blocks.
  __aicore__ inline void FillLeast(const AscendC::LocalTensor<T> &tile, uint32_t begin, uint32_t end) {
    if (begin >= end) return;
    AscendC::Duplicate(tile[begin].template ReinterpretCast<uint32_t>(), LeastBits(),
                       static_cast<int32_t>((end - begin) * sizeof(T) / sizeof(uint32_t)));
  }

  // Writes least elements to the gaps between lines, and behind the last one.
  __aicore__ inline void FillGaps(const AscendC::LocalTensor<T> &tile) {
    constexpr uint32_t kMostStride = 255, kMask = 64, kLeast = kBlockBytes / sizeof(uint32_t);
    const uint32_t line = t_.pitch / kCopied, filled = RoundUp(t_.tileLength, kCopied) / kCopied;
    const uint32_t end = t_.tileOuter * t_.pitch + TreeLinesBuffers::kBehind;
    if (line > kMostStride) {
      for (uint32_t row = 0; row < t_.tileOuter; ++row) {
        FillLeast(tile, row * t_.pitch + filled * kCopied, (row + 1) * t_.pitch);
      }
      FillLeast(tile, t_.tileOuter * t_.pitch, end);
      return;
    }
    const auto bits = tile.template ReinterpretCast<uint32_t>();
    for (uint32_t block = filled; block < line; block += kMask / kLeast) {
      AscendC::Duplicate(bits[block * kLeast], LeastBits(),
                         uint64_t{MinRemaining((line - block) * kLeast, kMask)},
                         static_cast<uint8_t>(t_.tileOuter), 1, static_cast<uint8_t>(line));
    }
    FillLeast(tile, t_.tileOuter * t_.pitch, end);
  }

  static constexpr uint32_t kCopied = kBlockBytes / sizeof(T);  // elements of a data block
  // Of a tile. Where keys are made of elements, the vector unit bounds, and more pieces are more
  // instructions.
  static constexpr uint32_t kMostPieces = Tree::kDirect ? 6 : 4;

  Tree tree_;
  Place place_;
  // One tile at a time: the tile that is being loaded, and a flag for each of its pieces.
  AscendC::LocalTensor<T> arriving_;
  event_t arrived_[kMostPieces];
  uint32_t piece_rows_ = 0, piece_blocks_ = 0;  // of a piece: lines; data blocks of keys
};

}  // namespace avo
