// SPDX-License-Identifier: Apache-2.0
// Tiles of grid samples (GridTiles), and the pixels that a tile reads (GridBoxes).
//
// The box of a tile is the smallest rectangle of pixels that holds all neighbours of all samples of the tile;
// its first column is rounded down to a data block. A core copies the box of one channel into UB, and a
// vector gather takes the neighbours from there. If the box is larger than its buffer, it comes in pieces.
//
//   image                           piece in UB, kLane = 4, pitch 12
//   . . . . . . . . . . . .
//   . . +-------------+ . .         0 0 0 0 | a b c d e f g . |
//   . . |a b c d e f g| . .         0 0 0 0 | h i j k l m n . |
//   . . |h i j k l m n| . .
//   . . +-------------+ . .
//   . . . . . . . . . . . .
//
// A data block of zeros lies before each row of a piece, or before the first row alone if rows follow each
// other without a gap. Neighbours that are not in the piece are read from the zeros at its start.
#pragma once

#include "../common/vectors/casts.h"
#include "grid_taps.h"
#include "grid_tiling.h"

namespace avo {

struct GridTile {
  int64_t image;
  int64_t row, column;  // its first sample in the grid
  uint32_t rows, columns;
  uint32_t count;  // samples: rows * columns
  uint32_t whole;  // samples, rounded up to a repeat of 64
};

// A rectangle of pixels of a plane.
struct GridPiece {
  int32_t row, column;  // its first pixel in the image
  uint32_t rows, columns;
  uint32_t pitch;  // elements from row to row in UB
};

// Loads the coordinates of a tile of samples and finds their neighbours. SLOPES: with derivatives.
template <typename T, bool SLOPES>
class GridTiles {
 protected:
  static constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void InitTiles(GM_ADDR grid, const GridTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    grid_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grid), t_.images * t_.outRows * t_.outColumns * 2);
    taps_.Init({t_.interpolation, t_.padding, t_.alignCorners}, {t_.scaleY, t_.lastY, t_.spanY},
               {t_.scaleX, t_.lastX, t_.spanX}, t_.taps, t_.capacity, pipe);
    const GridTilesBuffers buffers(t_.taps, t_.capacity, sizeof(T), SLOPES);
    pipe->InitBuffer(grid_queue_, buffers.grid.count, buffers.grid.bytes);
    pipe->InitBuffer(offsets_, buffers.offsets.bytes);
    pipe->InitBuffer(work_, buffers.work.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(pairs_, buffers.pairs.bytes);
  }

  // Goes on to tile `index`, counted over the tiles of all images.
  __aicore__ inline void SetTile(int64_t index) {
    const int64_t rows = index / t_.columnTiles;
    tile_.column = index % t_.columnTiles * t_.tileColumns;
    tile_.row = rows % t_.rowTiles * t_.tileRows;
    tile_.image = rows / t_.rowTiles;
    tile_.rows = MinRemaining(t_.outRows - tile_.row, t_.tileRows);
    tile_.columns = MinRemaining(t_.outColumns - tile_.column, t_.tileColumns);
    tile_.count = tile_.rows * tile_.columns;
    tile_.whole = RoundUp(tile_.count, kRepeat);
  }
  // Offset of the tile's first sample in a plane of outRows x outColumns samples.
  __aicore__ inline int64_t TileStart() const { return tile_.row * t_.outColumns + tile_.column; }

  // Loads the coordinates of the tile's samples along both axes into Work(axis).
  __aicore__ inline void LoadGrid() {
    auto grid = grid_queue_.template AllocTensor<T>();
    const uint32_t row = 2 * tile_.columns;
    CopyRowsIn(grid, tile_.rows > 1 ? row : RoundUp(row, kLane), grid_gm_,
               (tile_.image * t_.outRows * t_.outColumns + TileStart()) * 2, t_.outColumns * 2, tile_.rows,
               row);
    grid_queue_.EnQue(grid);
    grid = grid_queue_.template DeQue<T>();
    const auto pairs = CastTo<float>(grid, pairs_, 2 * tile_.count);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const auto at = Work(axis);
      if (tile_.whole != tile_.count) AscendC::Duplicate(at, 0.0f, tile_.whole);
      uint64_t kept = 0;
      AscendC::GatherMask(at, pairs, static_cast<uint8_t>(axis == kAxisX ? 1 : 2), true, 2 * tile_.count,
                          {1, 1, 8, 8}, kept);
    }
    grid_queue_.FreeTensor(grid);
  }
  // Loads the grid of the tile and finds the neighbours of its samples along both axes.
  __aicore__ inline void Locate() {
    LoadGrid();
    for (uint32_t axis = 0; axis < 2; ++axis) taps_.Locate(axis, Work(axis), tile_.whole);
  }

  // One of two rows of floats, an element for each sample. Both rows are free after Locate.
  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t i) {
    return work_.template Get<float>()[i * t_.capacity];
  }

  GridTiling t_;
  GridTaps<SLOPES> taps_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grid_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_, work_, pairs_;
  AscendC::GlobalTensor<T> grid_gm_;
  GridTile tile_;
};

// Copies the pixels that a tile reads, and gathers the neighbours of its samples.
template <typename T, bool SLOPES>
class GridBoxes : protected GridTiles<T, SLOPES> {
  using Tiles = GridTiles<T, SLOPES>;

 protected:
  using Tiles::kLane;
  using Tiles::offsets_;
  using Tiles::t_;
  using Tiles::taps_;
  using Tiles::tile_;

  __aicore__ inline void InitBoxes(GM_ADDR input, GM_ADDR grid, const GridTiling &tiling,
                                   AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(input),
                              t_.images * t_.channels * t_.height * t_.width);
    const GridBoxesBuffers buffers(t_.taps, t_.capacity, t_.boxElements, sizeof(T), SLOPES);
    pipe->InitBuffer(box_queue_, buffers.box.count, buffers.box.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(narrow_, buffers.narrow.bytes);
  }

  // Finds the box around all neighbours of the tile, and how many pieces of it fit the buffer.
  __aicore__ inline void FindBox() {
    int32_t last_row = 0, last_column = 0;
    taps_.FindExtent(kAxisY, tile_.count, tile_.whole, box_.row, last_row);
    taps_.FindExtent(kAxisX, tile_.count, tile_.whole, box_.column, last_column);
    box_.column = box_.column / static_cast<int32_t>(kLane) * static_cast<int32_t>(kLane);
    box_.rows = static_cast<uint32_t>(last_row - box_.row + 1);
    box_.columns = static_cast<uint32_t>(last_column - box_.column + 1);
    // A copy has at most 4095 rows.
    const uint32_t room = t_.boxElements - kLane, most = room / kLane * kLane - kLane;
    piece_columns_ = box_.columns < most ? box_.columns : most;
    const uint32_t fit = room / (RoundUp(piece_columns_, kLane) + kLane);
    piece_rows_ = fit < 4095 ? fit : 4095;
    if (piece_rows_ > box_.rows) piece_rows_ = box_.rows;
    across_ = (box_.columns + piece_columns_ - 1) / piece_columns_;
    pieces_ = across_ * ((box_.rows + piece_rows_ - 1) / piece_rows_);
  }

  // Goes on to piece `index` of the box, and fills offsets_ with the byte at which each neighbour lies in it.
  __aicore__ inline void SetPiece(uint32_t index) {
    const uint32_t row = index / across_ * piece_rows_, column = index % across_ * piece_columns_;
    piece_.row = box_.row + static_cast<int32_t>(row);
    piece_.column = box_.column + static_cast<int32_t>(column);
    piece_.rows = MinRemaining(box_.rows - row, piece_rows_);
    piece_.columns = MinRemaining(box_.columns - column, piece_columns_);
    // Whole rows of the image that end on a data block follow each other. Others have zeros before each row.
    dense_ = piece_.columns == t_.width && piece_.columns % kLane == 0;
    piece_.pitch = dense_ ? piece_.columns : RoundUp(piece_.columns, kLane) + kLane;
    taps_.SetPlaces(kAxisY, piece_.row, piece_.rows, piece_.pitch, kLane, tile_.whole);
    taps_.SetPlaces(kAxisX, piece_.column, piece_.columns, 1, 0, tile_.whole);
    taps_.FillOffsets(offsets_.template Get<int32_t>(), sizeof(T), tile_.whole);
  }

  // Copies the piece of one channel's plane, with the zeros. The caller frees the tensor.
  __aicore__ inline AscendC::LocalTensor<T> CopyBox(int64_t channel) {
    auto box = box_queue_.template AllocTensor<T>();
    const int64_t plane = (tile_.image * t_.channels + channel) * t_.height;
    const uint32_t rows = dense_ ? 1 : piece_.rows;
    const uint32_t columns = dense_ ? piece_.rows * piece_.columns : piece_.columns;
    const uint32_t step = RowsAtOnce<T>(t_.width, rows, columns);
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(step), columns * static_cast<uint32_t>(sizeof(T)),
        step > 1 ? static_cast<uint32_t>((t_.width - columns) * sizeof(T)) : 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{true, static_cast<uint8_t>(kLane),
                                               static_cast<uint8_t>(RoundUp(columns, kLane) - columns), T(0)};
    for (uint32_t i = 0; i < rows; i += step) {
      AscendC::DataCopyPad(box[i * piece_.pitch],
                           input_gm_[(plane + piece_.row + i) * t_.width + piece_.column], copy, pad);
    }
    box_queue_.EnQue(box);
    return box_queue_.template DeQue<T>();
  }

  // Gathers the values of neighbour i of every sample, and writes them to `to` in float32.
  __aicore__ inline void GatherTap(const AscendC::LocalTensor<float> &to, const AscendC::LocalTensor<T> &box,
                                   uint32_t i) {
    const auto offsets = offsets_.template Get<uint32_t>()[i * t_.capacity];
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Gather(to, box, offsets, 0, tile_.count);
    } else {
      auto narrow = narrow_.template Get<T>();
      AscendC::Gather(narrow, box, offsets, 0, tile_.count);
      AscendC::Cast(to, narrow, AscendC::RoundMode::CAST_NONE, tile_.count);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> box_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;
  AscendC::GlobalTensor<T> input_gm_;
  GridPiece box_, piece_;
  uint32_t piece_rows_, piece_columns_;  // of a piece at most
  uint32_t across_, pieces_;             // pieces side by side, and all pieces of the box
  bool dense_;                           // whether the rows of the piece follow each other in UB
};

}  // namespace avo
