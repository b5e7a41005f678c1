// SPDX-License-Identifier: Apache-2.0
// Tiles of MaxPool2dWithIndices: how they lie in the Unified Buffer, and what they take.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/pooling/pool_cost.h"
#include "op_host/pooling/window_chunk.h"
#include "op_kernel/pooling/max_pool2d_with_indices_tiling.h"

namespace avo::max_pool2d_with_indices {

struct Tile {
  int64_t rows, columns;          // of windows
  int64_t tap_rows, tap_columns;  // of a window that are loaded at once
  int64_t copy_bytes;             // of a plane that are copied at once, in whole rows
};

// How a tile lies in the Unified Buffer.
class Layout {
 public:
  static constexpr int64_t kLanes = WindowChunk::kLanes;

  Layout(const PoolProblem &pool, const Tile &tile)
      : pool_(pool), tile_(tile), chunk_{pool, tile.rows, tile.columns, tile.tap_rows, tile.tap_columns} {}

  const WindowChunk &Chunk() const { return chunk_; }

  // Elements of a plane that are loaded at once, in whole rows.
  int64_t PlaneElements() const {
    const int64_t row = AlignUp(LoadedColumns(), 32 / pool_.item);
    return row * RowsAtOnce(LoadedRows(), row * pool_.item);
  }
  // Rows of windows of a plane that are stored at once.
  int64_t StoredRows() const { return RowsAtOnce(tile_.rows, tile_.columns * pool_.index); }

  uint64_t Bytes() const {
    const auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    return BytesOf(MaxPool2dWithIndicesBuffers(
        {size(PlaneElements()), size(StoredRows() * AlignUp(tile_.columns, kLanes)),
         size(chunk_.RegionSlots()), size(tile_.rows * chunk_.Pitch()), size(chunk_.Pitch())},
        size(pool_.item), size(pool_.index)));
  }
  // Bytes of the Unified Buffer, or more than any has where one instruction does not reach all rows or
  // columns.
  uint64_t LimitedBytes() const {
    constexpr int64_t kMaxColumns = 2032, kMaxCopyRows = 4095;
    constexpr uint64_t kTooLarge = uint64_t{1} << 40;
    return chunk_.RegionColumns() > kMaxColumns || chunk_.RegionRows() > kMaxCopyRows ? kTooLarge : Bytes();
  }

  // Modelled cycles of the copies of a tile and of its instructions. Six of these find the maxima of a tap.
  // bandwidth: bytes a cycle that a core reads.
  PoolCost Cost(double bandwidth) const {
    constexpr double kCopy = 600;       // cycles of a group of rows that is copied at once
    constexpr double kStoreBytes = 32;  // a cycle
    const auto real = [](int64_t n) { return static_cast<double>(n); };
    const int64_t loads = CeilDiv(LoadedRows(), RowsAtOnce(LoadedRows(), LoadedColumns() * pool_.item));
    const int64_t stores = CeilDiv(tile_.rows, StoredRows());
    const double taps = real(pool_.rows.kernel * pool_.columns.kernel);
    const double pitch = real(chunk_.Pitch()) / 4, rows = real(tile_.rows);
    const double transposed = real(LoadedRows()) + 2 * rows;
    return {real(kLanes * LoadedRows() * LoadedColumns() * pool_.item) / bandwidth + kCopy * real(loads),
            taps * VectorCycles(6, 5 * rows * pitch) + VectorCycles(2 * transposed, transposed * pitch),
            real(kLanes * tile_.rows * tile_.columns * (pool_.item + pool_.index)) / kStoreBytes +
                kCopy * real(stores)};
  }

 private:
  // Rows and columns of the image that are loaded, at most.
  int64_t LoadedRows() const { return pool_.rows.Inside(tile_.rows, tile_.tap_rows); }
  int64_t LoadedColumns() const { return pool_.columns.Inside(tile_.columns, tile_.tap_columns); }
  // How many of `rows` rows are copied at once.
  int64_t RowsAtOnce(int64_t rows, int64_t bytes) const {
    return std::min(rows, CeilDiv(tile_.copy_bytes, bytes));
  }

  const PoolProblem &pool_;
  Tile tile_;
  WindowChunk chunk_;
};

}  // namespace avo::max_pool2d_with_indices
