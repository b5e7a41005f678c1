// SPDX-License-Identifier: Apache-2.0
// Tiles of the gradients of pooling (op_kernel/pooling/window_gradients.h): a tile owns rows and columns of
// the image, and goes through the windows that reach into it, one chunk of windows after another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_host/pooling/window_chunk.h"
#include "op_kernel/pooling/max_pool2d_backward_tiling.h"
#include "op_kernel/pooling/max_pool2d_with_indices_backward_tiling.h"

namespace avo {

// What of a window receives its gradient.
enum class Receives {
  kAll,           // all elements
  kFoundMaximum,  // the maximum, which the kernel finds again; it loads the image under the windows for that
  kNamedMaximum,  // the maximum that an index names
};

struct GradientTile {
  int64_t rows, columns;              // of the image, which the tile owns
  int64_t chunk_rows, chunk_columns;  // of windows of a chunk
  int64_t tap_rows, tap_columns;      // of a window that are loaded at once, where maxima are found again
  int64_t copy_bytes;                 // of a plane that are copied at once, in whole rows
};

// How a tile lies in the Unified Buffer. Sizes are elements, or slots of one element of 16 planes.
class GradientLayout {
 public:
  static constexpr int64_t kLanes = WindowChunk::kLanes;
  static constexpr int64_t kMaxSlots = 255;  // windows of a row of a chunk

  GradientLayout(const PoolProblem &pool, Receives receives, const GradientTile &tile)
      : pool_(pool),
        named_(receives == Receives::kNamedMaximum),
        maxima_(receives == Receives::kFoundMaximum),
        tile_(tile) {}

  WindowChunk Chunk() const {
    return {pool_, tile_.chunk_rows, tile_.chunk_columns, tile_.tap_rows, tile_.tap_columns};
  }
  int64_t ColumnPlanes() const { return Chunk().ColumnPlanes(); }
  // Slots from row to row of windows.
  int64_t ChunkPitch() const { return maxima_ ? Chunk().Pitch() : AlignUp(tile_.chunk_columns, kLanes); }
  // Slots from row to row of a plane of what the tile owns.
  int64_t SumPitch() const { return CeilDiv(AlignUp(tile_.columns, kLanes), ColumnPlanes()); }

  // Elements of a plane that are loaded at once: some rows of gradients of windows, or of the image under the
  // windows.
  int64_t PlaneElements() const {
    const int64_t block = 32 / pool_.item, grads = AlignUp(tile_.chunk_columns, block);
    const int64_t windows = grads * RowsAtOnce(tile_.chunk_rows, grads);
    if (!maxima_) return windows;
    const int64_t row = AlignUp(std::min(pool_.columns.in, Chunk().RegionColumns()), block);
    return std::max(windows, row * RowsAtOnce(std::min(pool_.rows.in, Chunk().RegionRows()), row));
  }
  // Rows of a plane that are stored at once.
  int64_t StoredRows() const { return RowsAtOnce(tile_.rows, tile_.columns); }

  uint64_t Bytes() const {
    const auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    const WindowGradientBuffers::Sizes sizes{
        size(PlaneElements()), size(StoredRows() * AlignUp(tile_.columns, kLanes)),
        size(tile_.rows * ColumnPlanes() * SumPitch()), size(tile_.chunk_rows * ChunkPitch())};
    const uint64_t item = size(pool_.item);
    if (named_)
      return BytesOf(MaxPool2dWithIndicesBackwardBuffers(sizes, size(ChunkPitch()), item, size(pool_.index)));
    if (!maxima_) return BytesOf(WindowGradientBuffers(sizes, item));
    return BytesOf(MaxPool2dBackwardBuffers(sizes, size(Chunk().RegionSlots()), item));
  }
  // Bytes of the Unified Buffer, or more than any has where one instruction does not reach all rows or
  // columns.
  uint64_t LimitedBytes() const {
    constexpr int64_t kMaxColumns = 2032, kMaxCopyRows = 4095;
    constexpr uint64_t kTooLarge = uint64_t{1} << 40;
    const int64_t columns = std::max(tile_.columns, maxima_ ? Chunk().RegionColumns() : tile_.chunk_columns);
    const int64_t rows = std::max({tile_.rows, tile_.chunk_rows, maxima_ ? Chunk().RegionRows() : 1});
    return columns > kMaxColumns || rows > kMaxCopyRows ? kTooLarge : Bytes();
  }

  // Modelled cycles of the tile: its copies, or its instructions. Of the latter, one in a row of windows adds
  // up terms; ten in a chunk find maxima. Each group of rows that is copied at once waits for its first
  // bytes.
  double Cycles(const Platform &platform) const {
    constexpr double kStart = 22, kTileCycles = 1500, kCopyCycles = 600;
    const double windows = static_cast<double>(tile_.chunk_rows * tile_.chunk_columns);
    const double own = static_cast<double>(tile_.rows * tile_.columns);
    const double region = maxima_ ? static_cast<double>(Chunk().RegionRows() * Chunk().RegionColumns()) : 0;
    const double bandwidth = platform.hbm_bytes_per_cycle > 0 ? platform.hbm_bytes_per_cycle : 1;
    const double bytes = static_cast<double>(kLanes) *
                         (static_cast<double>(pool_.item) * (windows + own + region) +
                          static_cast<double>(named_ ? pool_.index : 0) * windows) /
                         bandwidth;
    const double rows = static_cast<double>(tile_.chunk_rows);
    const double taps = static_cast<double>(pool_.rows.kernel * pool_.columns.kernel);
    const double maxima = maxima_ ? 10 * kStart + 10 * 0.25 * rows * static_cast<double>(ChunkPitch()) : 0;
    const double compute = taps * (rows * kStart + 0.25 * windows + maxima);
    return std::max(bytes, compute) + kTileCycles + kCopyCycles * Copies();
  }

 private:
  // How many of `rows` rows are copied at once.
  int64_t RowsAtOnce(int64_t rows, int64_t columns) const {
    return std::min(rows, CeilDiv(tile_.copy_bytes, columns * pool_.item));
  }
  // Groups of rows that are copied at once for a tile.
  double Copies() const {
    const auto groups = [&](int64_t rows, int64_t columns) {
      return static_cast<double>(CeilDiv(rows, RowsAtOnce(rows, columns)));
    };
    const double region = maxima_ ? groups(Chunk().RegionRows(), Chunk().RegionColumns()) : 0;
    return region + groups(tile_.chunk_rows, tile_.chunk_columns) + groups(tile_.rows, tile_.columns);
  }

  const PoolProblem &pool_;
  bool named_, maxima_;  // which of Receives holds; neither of kAll
  GradientTile tile_;
};

// Searches the tile of a gradient for a device.
class GradientSearch {
 public:
  GradientSearch(const PoolProblem &pool, Receives receives, const Platform &platform)
      : pool_(pool), receives_(receives), platform_(platform) {}

  // The tile with the fewest modelled cycles. Larger copies wait less often, and leave less room for what the
  // tile owns.
  GradientTile Find() const {
    const PoolAxis &columns = pool_.columns;
    const int64_t fitting =
        LongRows() ? 0 : Fit(columns.in, [&](int64_t n) { return Whole(1, n, kLeastCopy); });
    if (fitting == 0) return FindPieces();
    const int64_t granule = 512 / pool_.item;
    const int64_t across = fitting < columns.in && fitting > granule ? AlignDown(fitting, granule) : fitting;
    Choice best{Whole(1, across, kLeastCopy), 0};
    for (const int64_t bytes : {kLeastCopy, 4 * kLeastCopy, 16 * kLeastCopy}) KeepBest(across, bytes, &best);
    return best.tile;
  }

 private:
  GradientLayout LayoutOf(const GradientTile &tile) const { return {pool_, receives_, tile}; }

  // Whether the gap between two rows of a copy, a uint32_t of bytes, is too short for the image's rows.
  bool LongRows() const { return pool_.columns.in * pool_.item >= int64_t{1} << 32; }

  // Bytes of a plane from which copies have nearly full speed.
  static constexpr int64_t kLeastCopy = 448;

  struct Choice {
    GradientTile tile;
    double cycles;  // 0 for none
  };

  // Tries tiles with `across` columns, and keeps one that takes fewer cycles than `best`.
  void KeepBest(int64_t across, int64_t copy_bytes, Choice *best) const {
    const int64_t rows = pool_.rows.in;
    const int64_t groups = CeilDiv(pool_.planes, GradientLayout::kLanes) * CeilDiv(pool_.columns.in, across);
    for (int64_t n = Fit(rows, [&](int64_t r) { return Whole(r, across, copy_bytes); }); n > 0;
         n = n * 3 / 4) {
      const GradientTile tile = Whole(n, across, copy_bytes);
      const int64_t rounds = CeilDiv<int64_t>(groups * CeilDiv(rows, n), platform_.vector_cores);
      const double cycles = static_cast<double>(rounds) * LayoutOf(tile).Cycles(platform_);
      if (best->cycles == 0 || cycles < best->cycles) *best = {tile, cycles};
    }
  }

  // The most windows that reach into `own` neighbouring elements.
  static int64_t WindowsOver(const PoolAxis &axis, int64_t own) {
    return std::min(axis.out, (own - 1 + (axis.kernel - 1) * axis.dilation) / axis.stride + 1);
  }
  int64_t WindowColumnsOver(int64_t own) const {
    return std::min(GradientLayout::kMaxSlots, WindowsOver(pool_.columns, own));
  }

  // The tile that owns rows x columns elements and has all windows over them in one chunk, or as many columns
  // of windows as one instruction computes.
  GradientTile Whole(int64_t rows, int64_t columns, int64_t copy_bytes) const {
    return {rows,
            columns,
            WindowsOver(pool_.rows, rows),
            WindowColumnsOver(columns),
            pool_.rows.kernel,
            pool_.columns.kernel,
            copy_bytes};
  }

  // The largest extent up to `limit` that the device holds. tile_of(n): the tile with extent n.
  template <typename TileOf>
  int64_t Fit(int64_t limit, TileOf tile_of) const {
    return LargestFit(limit, platform_.ub_bytes,
                      [&](int64_t n) { return LayoutOf(tile_of(n)).LimitedBytes(); });
  }
  // `tile` with the largest extent that the device holds, where it holds `tile`.
  GradientTile Grown(const GradientTile &tile, int64_t GradientTile::*extent, int64_t limit) const {
    GradientTile larger = tile;
    larger.*extent = Fit(limit, [&](int64_t n) {
      GradientTile tried = tile;
      tried.*extent = n;
      return tried;
    });
    return larger;
  }

  // A tile for windows that the Unified Buffer does not hold as a whole: few of them at a time, or a piece of
  // one.
  GradientTile FindPieces() const {
    constexpr int64_t kColumns = 128;
    GradientTile tile{1, std::min(kColumns, pool_.columns.in), 1, 1, 1, 1, kLeastCopy};
    while (tile.columns > 1 && LayoutOf(tile).LimitedBytes() > platform_.ub_bytes) tile.columns /= 2;
    const uint64_t least = LayoutOf(tile).LimitedBytes();
    if (least > platform_.ub_bytes) ThrowUbTooSmall(platform_, least);
    // All windows over a tile are computed again for each tile, so what a tile owns gets half of the Unified
    // Buffer.
    const auto bytes = [&](int64_t n) {
      GradientTile larger = tile;
      larger.rows = n;
      return LayoutOf(larger).LimitedBytes();
    };
    const int64_t most_rows = LongRows() ? 1 : pool_.rows.in;
    tile.rows = std::max<int64_t>(1, LargestFit(most_rows, platform_.ub_bytes / 2, bytes));
    if (receives_ == Receives::kFoundMaximum) {
      tile = Grown(tile, &GradientTile::tap_columns, pool_.columns.kernel);
      return LongRows() ? tile : Grown(tile, &GradientTile::tap_rows, pool_.rows.kernel);
    }
    tile = Grown(tile, &GradientTile::chunk_columns, WindowColumnsOver(tile.columns));
    return LongRows() ? tile : Grown(tile, &GradientTile::chunk_rows, WindowsOver(pool_.rows, tile.rows));
  }

  const PoolProblem &pool_;
  Receives receives_;
  const Platform &platform_;
};

// The plan of a gradient, but for what only one of the operators' structs holds.
template <typename Tiling>
Plan<Tiling> PlanGradient(const PoolProblem &pool, const GradientTile &tile, const GradientLayout &layout,
                          uint64_t key, const Platform &platform) {
  Plan<Tiling> plan;
  Tiling &t = plan.tiling;
  pool.State(&t);
  plan.block_dim = StateTiles(t.inRows, t.inColumns, {GradientLayout::kLanes, tile.rows, tile.columns},
                              platform.vector_cores, &t);
  t.tileRows = static_cast<uint32_t>(tile.rows);
  t.tileColumns = static_cast<uint32_t>(tile.columns);
  t.chunkRows = static_cast<uint32_t>(tile.chunk_rows);
  t.chunkColumns = static_cast<uint32_t>(tile.chunk_columns);
  t.planeElements = static_cast<uint32_t>(layout.PlaneElements());
  t.storedRows = static_cast<uint32_t>(layout.StoredRows());
  t.columnPlanes = static_cast<uint32_t>(layout.ColumnPlanes());
  t.chunkPitch = static_cast<uint32_t>(layout.ChunkPitch());
  t.sumPitch = static_cast<uint32_t>(layout.SumPitch());
  plan.tiling_key = key;
  plan.ub_bytes = layout.Bytes();
  return plan;
}

}  // namespace avo
