// SPDX-License-Identifier: Apache-2.0
// Tiles of the gradients of pooling: elements of the image that a tile owns, and the windows over them, in
// chunks (op_kernel/pooling/window_gradients.h).
#pragma once

#include <stdexcept>

#include "op_host/pooling/pool_tiling.h"

namespace avo {

struct GradientTile {
  int64_t rows, columns;              // of the image that are owned
  int64_t chunk_rows, chunk_columns;  // of windows at once
  int64_t tap_rows, tap_columns;      // of a window at once, where maxima are found again
};

struct GradientProblem {
  const PoolProblem &pool;
  bool maxima;  // found again, so the image under the windows is loaded

  static constexpr int64_t kLanes = PoolBuffers::kLanes;
  static constexpr int64_t kMaxRepeats = 255;
  static constexpr int64_t kSlack = 16;  // slots

  // Most windows over `own` elements that follow each other.
  static int64_t Over(const PoolAxis &axis, int64_t own) {
    return std::min(axis.out, (own - 1 + (axis.kernel - 1) * axis.dilation) / axis.stride + 1);
  }
  // All windows over what is owned at once, where instructions reach that far.
  GradientTile Whole(int64_t rows, int64_t columns) const {
    return {rows,
            columns,
            Over(pool.rows, rows),
            std::min(kMaxRepeats, Over(pool.columns, columns)),
            pool.rows.kernel,
            pool.columns.kernel};
  }

  int64_t RegionRows(const GradientTile &tile) const {
    return pool.rows.Span(tile.chunk_rows, tile.tap_rows);
  }
  int64_t RegionColumns(const GradientTile &tile) const {
    return pool.columns.Span(tile.chunk_columns, tile.tap_columns);
  }
  // A transposition writes up to eight slots too many.
  int64_t RegionPitch(const GradientTile &tile) const {
    return RegionColumns(tile) + PoolBuffers::kBlockFloats;
  }
  int64_t PlaneElements(const GradientTile &tile) const {
    const int64_t block = 32 / pool.item, grads = tile.chunk_rows * AlignUp(tile.chunk_columns, block);
    return !maxima ? grads
                   : std::max(grads, std::min(pool.rows.in, RegionRows(tile)) *
                                         AlignUp(std::min(pool.columns.in, RegionColumns(tile)), block));
  }

  int64_t Bytes(const GradientTile &tile) const {
    constexpr int64_t kSlot = kLanes * 4, kRowBits = 2048, kMaxColumns = 2032, kMaxCopyRows = 4095;
    constexpr int64_t kTooLarge = int64_t{1} << 40;
    const int64_t windows = tile.chunk_rows * AlignUp(tile.chunk_columns, kLanes) + kSlack;
    const int64_t own = tile.rows * AlignUp(tile.columns, kLanes);
    if (std::max(tile.columns, maxima ? RegionColumns(tile) : tile.chunk_columns) > kMaxColumns ||
        std::max({tile.rows, tile.chunk_rows, maxima ? RegionRows(tile) : 1}) > kMaxCopyRows) {
      return kTooLarge;
    }
    int64_t bytes = kLanes * PlaneElements(tile) * (2 * pool.item + (pool.item == 4 ? 0 : 4)) +
                    kLanes * own * (pool.item + (pool.item == 4 ? 0 : 4)) + 2 * windows * kSlot +
                    (own + kSlack) * kSlot;
    if (maxima) {
      bytes += (RegionRows(tile) * RegionPitch(tile) + kSlack) * kSlot + windows * kSlot +
               std::max(windows * 2, kRowBits) + kRowBits;
    }
    return bytes;
  }

  // Modelled cycles of a tile: copies against instructions, each of a row of windows.
  double Cycles(const GradientTile &tile, const Platform &platform) const {
    constexpr double kStart = 22, kTileCycles = 1500;
    const double windows = static_cast<double>(tile.chunk_rows * tile.chunk_columns);
    const double own = static_cast<double>(tile.rows * tile.columns);
    const double region = maxima ? static_cast<double>(RegionRows(tile) * RegionColumns(tile)) : 0;
    const double bandwidth = platform.hbm_bytes_per_cycle > 0 ? platform.hbm_bytes_per_cycle : 1;
    const double bytes = static_cast<double>(kLanes * pool.item) * (windows + own + region) / bandwidth;
    const double repeats = windows * (pool.columns.stride == 1 ? 0.25 : 1),
                 rows = static_cast<double>(tile.chunk_rows);
    const double taps = static_cast<double>(pool.rows.kernel * pool.columns.kernel);
    const double compute = taps * ((maxima ? 7 : 1) * rows * kStart + (maxima ? 5 : 1) * repeats);
    return std::max(bytes, compute) + kTileCycles;
  }

  GradientTile Find(const Platform &platform) const {
    const PoolAxis &rows = pool.rows, &columns = pool.columns;
    const auto fit = [&](int64_t limit, auto tile_of) {
      return LargestFit(limit, platform.ub_bytes, [&](int64_t n) { return Bytes(tile_of(n)); });
    };
    // The gap between the rows of a copy is a uint32_t of bytes.
    const bool long_rows = columns.in * pool.item >= int64_t{1} << 32;
    int64_t across = long_rows ? 0 : fit(columns.in, [&](int64_t n) { return Whole(1, n); });
    if (across == 0) return Pieces(fit, platform.ub_bytes, long_rows);
    const int64_t granule = 512 / pool.item;
    if (across < columns.in && across > granule) across = AlignDown(across, granule);
    GradientTile best = Whole(1, across);
    double best_cycles = 0;
    const int64_t groups = CeilDiv(pool.planes, kLanes) * CeilDiv(columns.in, across);
    for (int64_t n = fit(rows.in, [&](int64_t r) { return Whole(r, across); });; n = n * 3 / 4) {
      const GradientTile tile = Whole(n, across);
      const int64_t rounds = CeilDiv<int64_t>(groups * CeilDiv(rows.in, n), platform.vector_cores);
      const double cycles = static_cast<double>(rounds) * Cycles(tile, platform);
      if (best_cycles == 0 || cycles < best_cycles) best = tile, best_cycles = cycles;
      if (n == 1) return best;
    }
  }

 private:
  // Windows too large for the Unified Buffer: few of them at a time, or a piece of one.
  template <typename Fit>
  GradientTile Pieces(const Fit &fit, uint64_t ub_bytes, bool long_rows) const {
    constexpr int64_t kColumns = 128;
    GradientTile tile{1, std::min(kColumns, pool.columns.in), 1, 1, 1, 1};
    while (tile.columns > 1 && fit(1, [&](int64_t) { return tile; }) == 0) tile.columns /= 2;
    if (fit(1, [&](int64_t) { return tile; }) == 0) {
      throw std::invalid_argument("the Unified Buffer does not hold one tile of a gradient of pooling");
    }
    // Windows are gone through for every tile over them: half of the Unified Buffer for what a tile owns.
    tile.rows = std::max<int64_t>(1, LargestFit(long_rows ? 1 : pool.rows.in, ub_bytes / 2, [&](int64_t n) {
                                    GradientTile larger = tile;
                                    larger.rows = n;
                                    return Bytes(larger);
                                  }));
    const auto grow = [&](int64_t GradientTile::*extent, int64_t limit) {
      tile.*extent = fit(limit, [&](int64_t n) {
        GradientTile larger = tile;
        larger.*extent = n;
        return larger;
      });
    };
    if (maxima) {
      grow(&GradientTile::tap_columns, pool.columns.kernel);
      if (!long_rows) grow(&GradientTile::tap_rows, pool.rows.kernel);
    } else {
      grow(&GradientTile::chunk_columns, std::min(kMaxRepeats, Over(pool.columns, tile.columns)));
      if (!long_rows) grow(&GradientTile::chunk_rows, Over(pool.rows, tile.rows));
    }
    return tile;
  }
};

// What both operators' structs hold.
template <typename Tiling>
Plan<Tiling> PlanGradient(const GradientProblem &problem, const GradientTile &tile, uint64_t key,
                          const Platform &platform) {
  Plan<Tiling> plan;
  plan.tiling_key = key;
  Tiling &t = plan.tiling;
  problem.pool.State(&t);
  t.planeGroups = CeilDiv(t.planes, GradientProblem::kLanes);
  t.rowTiles = CeilDiv(t.inRows, tile.rows);
  t.columnTiles = CeilDiv(t.inColumns, tile.columns);
  t.tileRows = static_cast<uint32_t>(tile.rows);
  t.tileColumns = static_cast<uint32_t>(tile.columns);
  t.chunkRows = static_cast<uint32_t>(tile.chunk_rows);
  t.chunkColumns = static_cast<uint32_t>(tile.chunk_columns);
  t.planeElements = static_cast<uint32_t>(problem.PlaneElements(tile));
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(platform.vector_cores, t.planeGroups * t.rowTiles * t.columnTiles));
  return plan;
}

}  // namespace avo
