// SPDX-License-Identifier: Apache-2.0
// The tiling of scans along one axis: tiles lie across the other axes, and a tile walks along the scanned one
// in stretches that fit the Unified Buffer (op_kernel/common/scan.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "plan.h"
#include "tensor.h"
#include "tile_search.h"

namespace avo {

// A tensor as (outer, length, inner) around the scanned axis.
struct ScanProblem {
  // item, index_item: bytes of a value, and of an index where the scan gives indices, else 0.
  ScanProblem(const Shape &shape, int64_t axis, int64_t item, int64_t index_item, const Platform &platform)
      : item(item), index_item(index_item), platform(platform) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      (i < axis ? outer : i == axis ? length : inner) *= shape[i];
    }
  }

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item, index_item;
  // What a kernel needs besides: Unified Buffer bytes of an element as it was copied, and of one as it is
  // computed on; bytes that it reads of an element.
  int64_t more_copied = 0, more_computed = 0, more_read = 0;
  const Platform &platform;

  static constexpr int64_t kLanes = 16;  // rows that TransDataTo5HD takes at once, and positions it writes

  bool Rows() const { return inner == 1; }

  // Elements between rows in UB: an odd number of blocks, so that the 16 rows of a transposition lie in 16
  // bank groups, and room for the positions that the way back to rows rounds up to.
  static int64_t Pitch(int64_t positions, int64_t bytes) {
    const int64_t block = 32 / bytes;
    return (CeilDiv(AlignUp(positions, kLanes), block) | 1) * block;
  }

  // Elements of a position of a tile in UB.
  int64_t Width(int64_t slices, int64_t columns) const {
    return Rows() ? AlignUp(slices, kLanes) : slices * AlignUp(columns, 32 / item);
  }

  // Unified Buffer of a tile: queues, what is computed on where that is not what was copied, carries.
  int64_t Bytes(int64_t slices, int64_t columns, int64_t positions) const {
    constexpr int64_t kRepeat = 64;  // elements of float32
    const int64_t width = Width(slices, columns);
    const int64_t tile = AlignUp(width * (Rows() ? AlignUp(positions, kLanes) : positions), kRepeat);
    const int64_t copied = Rows() ? width * Pitch(positions, item) : tile;
    const int64_t index_copied = Rows() ? width * Pitch(positions, 4) : tile;
    const bool direct = !Rows() && item == 4;
    int64_t bytes = 4 * copied * item + AlignUp<int64_t>(width * 4, 32);
    if (!direct) bytes += (index_item > 0 ? std::max(tile, index_copied) : tile) * 4;
    if (Rows() && item == 2) bytes += tile * item;
    bytes += AlignUp(copied, kRepeat) * more_copied + tile * more_computed;
    if (index_item > 0) {
      bytes += 2 * index_copied * index_item + AlignUp<int64_t>(width * 4, 32);
      // Positions, candidates, results beside the inputs, and two masks of a bit each.
      bytes += tile * 4 * (2 + (direct ? 0 : 1)) + 2 * AlignUp<int64_t>(tile / 8, 32);
    }
    return bytes;
  }

  // Positions of a tile that fit, 0 for none.
  int64_t Positions(int64_t slices, int64_t columns) const {
    constexpr int64_t kMaxRepeats = 255;  // of a transposition, eight positions of float32 each
    constexpr int64_t kMaxBlocks = 4095;  // blockCount of DataCopyPad
    constexpr int64_t kGranule = 64;      // positions, so that stretches of rows start on whole sectors
    int64_t most = std::min(length, Rows() ? AlignDown(kMaxRepeats * 8, kLanes) : kMaxBlocks);
    if (!Rows() && LongGap(inner)) most = 1;
    const int64_t fit = LargestFit(most, platform.ub_bytes,
                                   [&](int64_t positions) { return Bytes(slices, columns, positions); });
    if (fit == length || fit < kGranule) return fit;
    // Stretches of nearly one length.
    return std::min(fit, AlignUp(CeilDiv(length, CeilDiv(length, fit)), Rows() ? kGranule : 1));
  }

  // The gap between the rows of a copy is a uint32_t of bytes.
  bool LongGap(int64_t elements) const { return elements * item >= int64_t{1} << 32; }
};

struct ScanTile {
  int64_t slices = 0, columns = 0, positions = 0;
  double cycles = 0;
};

// Modelled cycles of the busiest core: copies against the chain of steps, each of which waits for the one
// before.
inline double ScanCycles(const ScanProblem &problem, const ScanTile &tile) {
  constexpr double kStepCycles = 24;      // of an instruction whose input is the result of the last
  constexpr double kTileCycles = 600;     // two copies and a dozen instructions
  constexpr double kDispatchCycles = 80;  // of a block
  constexpr int64_t kFullSpeedBytes = 512;
  const int64_t items = CeilDiv(problem.outer, tile.slices) * CeilDiv(problem.inner, tile.columns);
  const int64_t rounds = CeilDiv<int64_t>(items, problem.platform.vector_cores);
  const double stretches = static_cast<double>(CeilDiv(problem.length, tile.positions));
  // Elements that lie together in global memory: whole slices follow each other, pieces of them do not.
  const bool whole = problem.Rows() ? tile.positions == problem.length : tile.columns == problem.inner;
  const int64_t run = (problem.Rows() ? tile.positions : tile.columns) * problem.item;
  const double slowness =
      whole || run >= kFullSpeedBytes ? 1.0 : static_cast<double>(kFullSpeedBytes) / static_cast<double>(run);
  const double elements = static_cast<double>(tile.slices * tile.columns * problem.length);
  const double bytes =
      elements * static_cast<double>(2 * problem.item + problem.index_item + problem.more_read) * slowness;
  const double bandwidth =
      problem.platform.hbm_bytes_per_cycle > 0 ? problem.platform.hbm_bytes_per_cycle : 1;
  const int64_t scans = problem.index_item > 0 ? 2 : 1;
  const double width = static_cast<double>(problem.Width(tile.slices, tile.columns));
  const double steps = static_cast<double>(problem.length * scans) * (kStepCycles + width / 64) +
                       elements / 64 * (problem.Rows() ? 4 : 2) * static_cast<double>(scans * scans);
  const double item_cycles = std::max(bytes / bandwidth, steps) + stretches * kTileCycles;
  return static_cast<double>(std::min<int64_t>(items, problem.platform.vector_cores)) * kDispatchCycles +
         static_cast<double>(rounds) * item_cycles + bytes / bandwidth / stretches;
}

inline ScanTile FindScanTile(const ScanProblem &problem) {
  constexpr int64_t kMaxSlices = 1024;
  constexpr int64_t kMaxColumns = 8192;
  const int64_t granule = 512 / problem.item;
  const int64_t cores = problem.platform.vector_cores;
  ScanTile best;
  const auto consider = [&](int64_t slices, int64_t columns) {
    ScanTile tile{slices, columns, problem.Positions(slices, columns), 0};
    if (tile.positions == 0) return;
    tile.cycles = ScanCycles(problem, tile);
    if (best.positions == 0 || tile.cycles < best.cycles) best = tile;
  };
  if (problem.Rows()) {
    if (problem.LongGap(problem.length)) consider(1, 1);
    for (int64_t rows = ScanProblem::kLanes; best.slices != 1 && rows <= kMaxSlices;
         rows += ScanProblem::kLanes) {
      consider(rows, 1);
      if (rows >= problem.outer) break;
    }
    return best;
  }
  const int64_t fewest = CeilDiv(problem.inner, kMaxColumns);
  const int64_t most = std::min(CeilDiv(problem.inner, granule), fewest + 2 * cores);
  for (int64_t tiles = fewest; tiles <= std::max(fewest, most); ++tiles) {
    int64_t columns = CeilDiv(problem.inner, tiles);
    if (tiles > 1) columns = AlignUp(columns, granule);
    columns = std::min(columns, problem.inner);
    for (int64_t slices = 1; slices <= kMaxSlices; slices *= 2) {
      consider(std::min(slices, problem.outer), columns);
      if (slices >= problem.outer) break;
    }
  }
  // A Unified Buffer too small for that: a few elements a time.
  for (int64_t columns = granule; best.positions == 0 && columns > 0; columns /= 2) consider(1, columns);
  return best;
}

// Keys of the two layouts, as the contract numbers them.
struct ScanKeys {
  uint64_t columns;
  uint64_t rows;
};

template <typename Tiling>
Plan<Tiling> PlanScan(const ScanProblem &problem, const ScanKeys &keys) {
  Plan<Tiling> plan;
  Tiling &tiling = plan.tiling;
  plan.tiling_key = problem.Rows() ? keys.rows : keys.columns;
  tiling.outer = problem.outer;
  tiling.length = problem.length;
  tiling.inner = problem.inner;
  if (problem.outer * problem.length * problem.inner == 0) return plan;
  const ScanTile tile = FindScanTile(problem);
  if (tile.positions == 0) throw std::invalid_argument("the Unified Buffer does not hold one tile of a scan");
  tiling.outerTiles = CeilDiv(problem.outer, tile.slices);
  tiling.columnTiles = CeilDiv(problem.inner, tile.columns);
  tiling.tileOuter = static_cast<uint32_t>(tile.slices);
  tiling.tileColumns = static_cast<uint32_t>(tile.columns);
  tiling.tileLength = static_cast<uint32_t>(tile.positions);
  tiling.rowPitch = static_cast<uint32_t>(ScanProblem::Pitch(tile.positions, problem.item));
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(tiling.outerTiles * tiling.columnTiles, problem.platform.vector_cores));
  return plan;
}

}  // namespace avo
