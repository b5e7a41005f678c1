// SPDX-License-Identifier: Apache-2.0
// Tiles of windows of any size (op_kernel/pooling/pool_windows.h): the result is cut into groups of planes,
// rows and columns; where not even one window fits, the window is cut into pieces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_host/pooling/pool_cost.h"
#include "op_host/pooling/pool_problem.h"
#include "op_kernel/pooling/pool_buffers.h"

namespace avo {

// Windows of a tile, and the taps of them that are loaded at once.
struct PoolTile {
  int64_t planes, rows, columns, tap_rows, tap_columns;

  template <typename Tiling>
  void State(Tiling *t) const {
    t->tilePlanes = static_cast<uint32_t>(planes);
    t->tileRows = static_cast<uint32_t>(rows);
    t->tileColumns = static_cast<uint32_t>(columns);
    t->tapRows = static_cast<uint32_t>(tap_rows);
    t->tapColumns = static_cast<uint32_t>(tap_columns);
  }
};

// How a tile of windows lies in the Unified Buffer. Sizes are elements, or slots.
struct PoolWindowLayout {
  static constexpr int64_t kLanes = 16;  // rows that TransDataTo5HD takes at once, and slots it reads at once

  PoolWindowLayout(const PoolProblem &problem, const PoolTile &tile) : problem(problem), tile(tile) {
    const int64_t item = problem.item, element = problem.element, block = 32 / item;
    const PoolAxis &columns = problem.columns;
    span = columns.Span(tile.columns, tile.tap_columns);
    needed = std::min(columns.in, span);
    // A row that is needed almost whole is loaded whole, as rows then follow each other without gaps.
    whole_rows =
        tile.columns == columns.out && tile.tap_columns == columns.kernel && 16 * needed >= 15 * columns.in;
    const int64_t pitch = AlignUp(whole_rows ? columns.in : needed, block);
    in_rows = tile.planes * problem.rows.Span(tile.rows, tile.tap_rows);
    in_elements = in_rows * pitch;
    // Odd numbers of data blocks and of groups of lanes, so that transpositions reach all bank groups.
    row_pitch = (CeilDiv(needed, 32 / element) | 1) * (32 / element);
    rows = tile.planes * tile.rows;
    // The lanes of a slot are one repeat. Of half types they are seven blocks, not eight, so that
    // neighbouring slots do not meet in a bank group.
    slot_lanes = std::min<int64_t>(AlignUp(rows, kLanes), (element == 2 ? 7 : 4) * kLanes);
    slots = span + kLanes;
    out_pitch = (CeilDiv(AlignUp(tile.columns, kLanes), block) | 1) * block;
    // Few rows are converted and combined whole, one by one.
    chunk = rows > CeilDiv<int64_t>(pitch, 64) ? 64 : pitch;
    wide_elements = item == element ? 0 : in_rows * AlignUp(pitch, chunk);
  }

  uint64_t Bytes() const {
    const auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    return BytesOf(PoolWindowBuffers({size(rows), size(tile.columns), size(in_elements), size(wide_elements),
                                      size(row_pitch), size(slots), size(slot_lanes), size(out_pitch)},
                                     size(problem.item), size(problem.element)));
  }
  // Bytes of the Unified Buffer, or more than any has where one instruction does not reach all rows or slots.
  uint64_t LimitedBytes() const {
    constexpr int64_t kMaxCopyRows = 4095;  // blockCount of DataCopyPad
    constexpr int64_t kMaxSlots = 255 * 8;  // slots that one transposition writes
    constexpr uint64_t kTooLarge = uint64_t{1} << 40;
    return std::max(in_rows, rows) > kMaxCopyRows || span > kMaxSlots ? kTooLarge : Bytes();
  }

  const PoolProblem &problem;
  PoolTile tile;
  bool whole_rows;  // whether rows are loaded whole
  int64_t span;     // columns from the first to the last one that a row of windows reads
  int64_t needed;   // how many of these lie inside the image, at most
  int64_t rows;     // rows of windows, over all planes
  int64_t in_rows;  // rows of the input, over all planes
  int64_t in_elements, wide_elements, chunk, row_pitch, slots, slot_lanes, out_pitch;  // as in PoolTiling
};

// bandwidth: bytes a cycle that a core reads.
inline PoolCost CostOf(const PoolWindowLayout &layout, double bandwidth) {
  constexpr double kCopyRow = 8;      // cycles of each run of a copy
  constexpr double kStoreBytes = 32;  // a cycle
  constexpr int64_t kLine = 512;      // bytes of a line of global memory
  const PoolProblem &problem = layout.problem;
  const PoolTile &tile = layout.tile;
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const int64_t item = problem.item, element = problem.element;
  // Rows that are no whole data blocks are copied one by one. A run that starts inside a line reads one line
  // more.
  const int64_t loaded = problem.rows.Inside(tile.rows, tile.tap_rows);
  const int64_t row = (layout.whole_rows ? problem.columns.in : layout.needed) * item;
  const bool dense = layout.whole_rows && row % 32 == 0;
  const int64_t run = dense ? row * loaded : row;
  const double runs_in = real(dense ? tile.planes : tile.planes * loaded), runs_out = real(layout.rows);
  const double bytes_in =
      runs_in * (real(run) + (run % kLine == 0 ? 0 : std::min(real(run) * real(run) / kLine, real(kLine))));
  const double bytes_out = real(layout.rows * tile.columns * item);

  // A repeat whose operands meet in a bank group takes two cycles.
  const double rows = real(layout.rows), outputs = real(tile.columns);
  const double repeats = real(CeilDiv(layout.needed, 256 / element));  // of a row
  const double groups = real(CeilDiv(layout.rows, PoolWindowLayout::kLanes));
  const double batches = real(CeilDiv(layout.rows, layout.slot_lanes));
  double compute =
      std::max(1.0, real(problem.rows.kernel - 1)) *
          VectorCycles(real(std::min(tile.planes, tile.rows)) * repeats, 1.5 * rows * repeats) +
      std::max(1.0, real(problem.columns.kernel - 1)) * batches * VectorCycles(1, 1.3 * outputs) +
      groups * VectorCycles(2, real(layout.needed * element + tile.columns * item) / 16);
  if (item != element) {
    compute += VectorCycles(1, real(layout.wide_elements) / 64) + batches * VectorCycles(1, outputs);
  }
  if (problem.means) compute += batches * VectorCycles(2, outputs);
  return {std::max(bytes_in / bandwidth, runs_in * kCopyRow), compute,
          std::max(bytes_out / kStoreBytes, runs_out * kCopyRow)};
}

// The smallest tile: one tap of one window.
constexpr PoolTile kSmallestTile{1, 1, 1, 1, 1};

// The largest extent of a tile, up to `limit`, that the device holds. tile_of(n): the tile with extent n.
template <typename TileOf>
int64_t LargestExtent(const PoolProblem &problem, const Platform &platform, int64_t limit, TileOf tile_of) {
  return LargestFit(limit, platform.ub_bytes,
                    [&](int64_t n) { return PoolWindowLayout(problem, tile_of(n)).LimitedBytes(); });
}

// A tile of one row of windows: the columns that the Unified Buffer holds, `most_columns` at most; or a piece
// of one window; or, where not even the smallest tile fits, no planes.
inline PoolTile FitPoolTile(const PoolProblem &problem, int64_t most_columns, const Platform &platform) {
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  // The gap between the rows of a copy is a uint32_t of bytes.
  const bool long_rows = columns.in * problem.item >= int64_t{1} << 32;
  PoolTile tile{1, 1, 1, long_rows ? 1 : rows.kernel, columns.kernel};
  tile.columns = LargestExtent(problem, platform, most_columns,
                               [&](int64_t n) { return PoolTile{1, 1, n, tile.tap_rows, columns.kernel}; });
  if (tile.columns < 1) {
    tile.columns = 1;
    tile.tap_columns =
        LargestExtent(problem, platform, columns.kernel, [&](int64_t n) { return PoolTile{1, 1, 1, 1, n}; });
    if (tile.tap_columns < 1) return {};
    tile.tap_rows = LargestExtent(problem, platform, tile.tap_rows,
                                  [&](int64_t n) { return PoolTile{1, 1, 1, n, tile.tap_columns}; });
  }
  tile.columns = CeilDiv(columns.out, CeilDiv(columns.out, tile.columns));
  return tile;
}

// The tile of windows with the fewest modelled cycles; it has no planes where not even the smallest tile
// fits.
inline PoolTile FindPoolTile(const PoolProblem &problem, const Platform &platform, double *best_cycles) {
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  constexpr int64_t kFewColumns = 64;
  PoolTile best{};
  const auto consider = [&](const PoolTile &tile) {
    const int64_t tiles = CeilDiv(problem.planes, tile.planes) * CeilDiv(rows.out, tile.rows) *
                          CeilDiv(columns.out, tile.columns);
    const double cycles = CostOf(PoolWindowLayout(problem, tile), PoolBandwidth(platform))
                              .Cycles(CeilDiv<int64_t>(tiles, platform.vector_cores));
    if (best.planes == 0 || cycles < *best_cycles) best = tile, *best_cycles = cycles;
  };
  for (int64_t most = columns.out;; most = CeilDiv<int64_t>(most, 2)) {
    PoolTile tile = FitPoolTile(problem, most, platform);
    if (tile.planes == 0) return tile;
    if (tile.tap_rows < rows.kernel || tile.tap_columns < columns.kernel) {
      consider(tile);
      return tile;
    }
    const auto fit = [&](int64_t limit, int64_t PoolTile::*extent) {
      return LargestExtent(problem, platform, limit, [&](int64_t n) {
        PoolTile larger = tile;
        larger.*extent = n;
        return larger;
      });
    };
    const int64_t most_planes = tile.columns == columns.out ? problem.planes : 1;
    const int64_t most_rows = fit(rows.out, &PoolTile::rows);
    for (int64_t row_tiles = CeilDiv(rows.out, most_rows); row_tiles > 0;) {
      tile.planes = 1;
      tile.rows = CeilDiv(rows.out, row_tiles);
      for (tile.planes = fit(most_planes, &PoolTile::planes); tile.planes > 0;
           tile.planes = tile.planes * 2 / 3) {
        consider(tile);
      }
      row_tiles = tile.rows == 1 ? 0 : std::max(row_tiles + 1, row_tiles * 5 / 4);
    }
    if (most <= kFewColumns) return best;
  }
}

template <typename Tiling>
Plan<Tiling> PlanWindows(const PoolProblem &problem, const PoolTile &tile, uint64_t key,
                         const Platform &platform) {
  Plan<Tiling> plan;
  const PoolWindowLayout layout(problem, tile);
  Tiling &t = plan.tiling;
  problem.State(&t);
  plan.block_dim =
      StateTiles(t.outRows, t.outColumns, {tile.planes, tile.rows, tile.columns}, platform.vector_cores, &t);
  tile.State(&t);
  t.wholeRows = layout.whole_rows ? 1 : 0;
  t.inElements = static_cast<uint32_t>(layout.in_elements);
  t.wideElements = static_cast<uint32_t>(layout.wide_elements);
  t.chunk = static_cast<uint32_t>(layout.chunk);
  t.rowPitch = static_cast<uint32_t>(layout.row_pitch);
  t.slots = static_cast<uint32_t>(layout.slots);
  t.slotLanes = static_cast<uint32_t>(layout.slot_lanes);
  t.outPitch = static_cast<uint32_t>(layout.out_pitch);
  plan.tiling_key = key;
  plan.ub_bytes = layout.Bytes();
  return plan;
}

}  // namespace avo
