// SPDX-License-Identifier: Apache-2.0
// Tiles of the kernels that turn rows of one length into rows of another. A tile is some rows, and the same
// outputs of each of them:
//
//              inputs of the tile              outputs of the tile
//   row 0   . . [ . . . . . . ] . .   →   . . . [ . . . . ] . . .
//   row 1   . . [ . . . . . . ] . .       . . . [ . . . . ] . . .
//
// RowTiles holds the current tile, its double-buffered queues and its copies.
#pragma once

#include "../common/copies/row_copy.h"
#include "row_tiles_buffers.h"

namespace avo {

// Copies the first `count` elements of a table to the other rows of a tile, and adds `increment` from row to
// row.
template <typename T>
__aicore__ inline void RepeatRow(const AscendC::LocalTensor<T> &table, uint32_t rows, uint32_t count,
                                 T increment) {
  for (uint32_t row = 1; row < rows; ++row) {
    AscendC::Adds(table[row * count], table, static_cast<T>(row) * increment, count);
  }
}

template <typename T>
class RowTiles {
 protected:
  // rows: of the tensors; in_row, out_row: elements from row to row of a tile in UB. Takes RowTilesBuffers of
  // the Unified Buffer.
  __aicore__ inline void InitRows(GM_ADDR in, GM_ADDR out, int64_t rows, int64_t in_length,
                                  int64_t out_length, uint32_t tile_rows, uint32_t in_row, uint32_t out_row,
                                  AscendC::TPipe *pipe) {
    all_rows_ = rows;
    in_length_ = in_length;
    out_length_ = out_length;
    tile_rows_ = tile_rows;
    in_row_ = in_row;
    out_row_ = out_row;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), rows * in_length);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), rows * out_length);
    const RowTilesBuffers buffers(tile_rows, in_row, out_row, sizeof(T));
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
  }

  // Chooses the rows of the tile: those of row group `group`.
  __aicore__ inline void SetRows(int64_t group) {
    row_ = group * tile_rows_;
    rows_ = static_cast<uint32_t>(all_rows_ - row_ < tile_rows_ ? all_rows_ - row_ : tile_rows_);
  }

  // Chooses the outputs of the tile: `tile` of them from `begin` on, or what is left of the row.
  __aicore__ inline void SetOutputs(int64_t begin, int64_t tile) {
    out_begin_ = begin;
    out_count_ = static_cast<uint32_t>(out_length_ - begin < tile ? out_length_ - begin : tile);
  }

  // Chooses the inputs of the tile: those of [begin, end) that exist.
  __aicore__ inline void SetInputs(int64_t begin, int64_t end) {
    in_begin_ = begin < 0 ? 0 : (begin < in_length_ ? begin : in_length_ - 1);
    in_count_ = static_cast<uint32_t>((end < in_length_ ? end : in_length_) - in_begin_);
  }

  // Loads the inputs of the tile. The caller frees the tensor through in_queue_.
  __aicore__ inline AscendC::LocalTensor<T> CopyIn() {
    auto rows = in_queue_.template AllocTensor<T>();
    CopyRowsIn(rows, in_row_, in_gm_, row_ * in_length_ + in_begin_, in_length_, rows_, in_count_);
    in_queue_.EnQue(rows);
    return in_queue_.template DeQue<T>();
  }

  // Stores `result`, a tensor of out_queue_, as the outputs of the tile.
  __aicore__ inline void CopyOut(const AscendC::LocalTensor<T> &result) {
    out_queue_.EnQue(result);
    auto rows = out_queue_.template DeQue<T>();
    CopyRowsOut(out_gm_, row_ * out_length_ + out_begin_, out_length_, rows, out_row_, rows_, out_count_);
    out_queue_.FreeTensor(rows);
  }

  // Calls kernel.SetLength and kernel.Compute for the tiles of this core. Tiles of the same outputs follow
  // each other, so that SetLength, which builds a table for these outputs, is called seldom.
  template <typename Kernel, typename Tiling>
  __aicore__ inline void ProcessTiles(Kernel &kernel, const Tiling &tiling) {
    const Share share = CoreShare(tiling.rowGroups * tiling.lengthTiles);
    int64_t table_of = -1;
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t tile = item / tiling.rowGroups;
      if (tile != table_of) kernel.SetLength(tile);
      table_of = tile;
      SetRows(item % tiling.rowGroups);
      kernel.Compute();
    }
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  int64_t all_rows_, in_length_, out_length_;
  uint32_t tile_rows_, in_row_, out_row_;
  // The current tile.
  int64_t row_, out_begin_, in_begin_;
  uint32_t rows_, out_count_, in_count_;
};

}  // namespace avo
