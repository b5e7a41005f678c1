// SPDX-License-Identifier: Apache-2.0
// Tiles of grid samples (GridTiles), and what they read of an image (GridBoxes): the box of pixels around all
// neighbours of a tile, a plane at a time, from which vector gathers take them. A box larger than its buffer
// comes in pieces. A data block of zeros lies before the pixels; neighbours that are not in the piece are
// read from there.
#pragma once

#include "grid_taps.h"

namespace avo {

struct GridTile {
  int64_t image;
  int64_t row, column;  // of the grid
  uint32_t rows, columns;
  uint32_t count;  // samples
  uint32_t whole;  // rounded up to a repeat
};

// Part of a plane, as it lies in UB.
struct GridPiece {
  int32_t row, column;
  uint32_t rows, columns;
  uint32_t pitch;  // elements from row to row
};

template <typename T, bool SLOPES, typename Tiling>
class GridTiles {
 protected:
  static constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  static constexpr uint32_t kRepeat = 64;  // floats

  __aicore__ inline void InitTiles(GM_ADDR grid, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    grid_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grid), t_.images * t_.outRows * t_.outColumns * 2);
    taps_.Init({t_.interpolation, t_.padding, t_.alignCorners}, {t_.scaleY, t_.lastY, t_.spanY},
               {t_.scaleX, t_.lastX, t_.spanX}, t_.taps, t_.capacity, pipe);
    pipe->InitBuffer(grid_queue_, 1, 2 * t_.capacity * sizeof(T));
    pipe->InitBuffer(offsets_, t_.taps * t_.taps * t_.capacity * sizeof(int32_t));
    pipe->InitBuffer(work_, 2 * t_.capacity * sizeof(float));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(pairs_, 2 * t_.capacity * sizeof(float));
  }

  // Tile `index` of all images.
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
  // Element of the tile's first sample in a plane of samples.
  __aicore__ inline int64_t TileStart() const { return tile_.row * t_.outColumns + tile_.column; }

  // Coordinates of the tile's samples, in Work(axis).
  __aicore__ inline void LoadGrid() {
    auto grid = grid_queue_.template AllocTensor<T>();
    const uint32_t row = 2 * tile_.columns;
    CopyRowsIn(grid, tile_.rows > 1 ? row : RoundUp(row, kLane), grid_gm_,
               (tile_.image * t_.outRows * t_.outColumns + TileStart()) * 2, t_.outColumns * 2, tile_.rows,
               row);
    grid_queue_.EnQue(grid);
    grid = grid_queue_.template DeQue<T>();
    AscendC::LocalTensor<float> pairs;
    if constexpr (sizeof(T) == sizeof(float)) {
      pairs = grid;
    } else {
      pairs = pairs_.template Get<float>();
      AscendC::Cast(pairs, grid, AscendC::RoundMode::CAST_NONE, 2 * tile_.count);
    }
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const auto at = Work(axis);
      if (tile_.whole != tile_.count) AscendC::Duplicate(at, 0.0f, tile_.whole);
      uint64_t kept = 0;
      AscendC::GatherMask(at, pairs, static_cast<uint8_t>(axis == kAxisX ? 1 : 2), true, 2 * tile_.count,
                          {1, 1, 8, 8}, kept);
    }
    grid_queue_.FreeTensor(grid);
  }
  // Their neighbours, along one axis.
  __aicore__ inline void Locate(uint32_t axis) { taps_.Locate(axis, Work(axis), tile_.whole); }

  // A row of floats for the samples of the tile; both are free once the tile is located.
  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t i) {
    return work_.template Get<float>()[i * t_.capacity];
  }

  Tiling t_;
  GridTaps<SLOPES> taps_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> grid_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_, work_, pairs_;
  AscendC::GlobalTensor<T> grid_gm_;
  GridTile tile_;
};

template <typename T, bool SLOPES, typename Tiling>
class GridBoxes : protected GridTiles<T, SLOPES, Tiling> {
  using Tiles = GridTiles<T, SLOPES, Tiling>;

 protected:
  using Tiles::kLane;
  using Tiles::offsets_;
  using Tiles::t_;
  using Tiles::taps_;
  using Tiles::tile_;

  __aicore__ inline void InitBoxes(GM_ADDR input, GM_ADDR grid, const Tiling &tiling, AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(input),
                              t_.images * t_.channels * t_.height * t_.width);
    pipe->InitBuffer(box_queue_, 2, t_.boxElements * sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(narrow_, t_.capacity * sizeof(T));
  }

  // The box around all neighbours, in pieces that fit.
  __aicore__ inline void FindBox() {
    int32_t last_row = 0, last_column = 0;
    taps_.Extent(kAxisY, tile_.count, tile_.whole, box_.row, last_row);
    taps_.Extent(kAxisX, tile_.count, tile_.whole, box_.column, last_column);
    box_.column = box_.column / static_cast<int32_t>(kLane) * static_cast<int32_t>(kLane);
    box_.rows = static_cast<uint32_t>(last_row - box_.row + 1);
    box_.columns = static_cast<uint32_t>(last_column - box_.column + 1);
    // Copies are of at most 4095 rows, with less than 2^32 bytes between them.
    const uint32_t room = t_.boxElements - kLane, most = room / kLane * kLane - kLane;
    piece_columns_ = box_.columns < most ? box_.columns : most;
    const uint32_t fit = room / (RoundUp(piece_columns_, kLane) + kLane);
    const bool far = t_.width * static_cast<int64_t>(sizeof(T)) >= int64_t{1} << 32;
    piece_rows_ = far ? 1 : (fit < 4095 ? fit : 4095);
    if (piece_rows_ > box_.rows) piece_rows_ = box_.rows;
    across_ = (box_.columns + piece_columns_ - 1) / piece_columns_;
    pieces_ = across_ * ((box_.rows + piece_rows_ - 1) / piece_rows_);
  }

  // Piece `index` of the box, and where each neighbour lies in it.
  __aicore__ inline void SetPiece(uint32_t index) {
    const uint32_t row = index / across_ * piece_rows_, column = index % across_ * piece_columns_;
    piece_.row = box_.row + static_cast<int32_t>(row);
    piece_.column = box_.column + static_cast<int32_t>(column);
    piece_.rows = MinRemaining(box_.rows - row, piece_rows_);
    piece_.columns = MinRemaining(box_.columns - column, piece_columns_);
    // Whole rows that end on a block are one run; others have the zeros before each of them.
    dense_ = piece_.columns == t_.width && piece_.columns % kLane == 0;
    piece_.pitch = dense_ ? piece_.columns : RoundUp(piece_.columns, kLane) + kLane;
    taps_.Relate(kAxisY, piece_.row, piece_.rows, piece_.pitch, kLane, tile_.whole);
    taps_.Relate(kAxisX, piece_.column, piece_.columns, 1, 0, tile_.whole);
    taps_.Offsets(offsets_.template Get<int32_t>(), sizeof(T), tile_.whole);
  }

  // The piece of one channel's plane.
  __aicore__ inline AscendC::LocalTensor<T> CopyBox(int64_t channel) {
    auto box = box_queue_.template AllocTensor<T>();
    const int64_t plane = (tile_.image * t_.channels + channel) * t_.height;
    const uint32_t rows = dense_ ? 1 : piece_.rows;
    const uint32_t columns = dense_ ? piece_.rows * piece_.columns : piece_.columns;
    const AscendC::DataCopyExtParams copy{
        static_cast<uint16_t>(rows), columns * static_cast<uint32_t>(sizeof(T)),
        rows > 1 ? static_cast<uint32_t>((t_.width - columns) * sizeof(T)) : 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{true, static_cast<uint8_t>(kLane),
                                               static_cast<uint8_t>(RoundUp(columns, kLane) - columns), T(0)};
    AscendC::DataCopyPad(box, input_gm_[(plane + piece_.row) * t_.width + piece_.column], copy, pad);
    box_queue_.EnQue(box);
    return box_queue_.template DeQue<T>();
  }

  // Neighbour i of every sample in float32; `to` takes it.
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
  uint32_t piece_rows_, piece_columns_, across_, pieces_;
  bool dense_;
};

}  // namespace avo
