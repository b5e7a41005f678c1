// SPDX-License-Identifier: Apache-2.0
// The tiling of scans along one axis: tiles lie across the other axes, and a tile walks along the scanned one
// in stretches that fit the Unified Buffer (op_kernel/scan/scan.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

// A tensor as (outer, length, inner) around the scanned axis.
struct ScanProblem {
  // item, index_item: bytes of a value, and of an index where the scan gives indices, else 0.
  ScanProblem(const Shape &shape, int64_t axis, int64_t item, int64_t index_item, const Platform &platform)
      : item(item), index_item(index_item), platform(platform) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      (i < axis ? outer : i == axis ? length : inner) *= shape[i];
    }
    rows = inner == 1;
  }

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item, index_item;
  bool rows;             // transposed, as lanes
  bool running = false;  // for the best so far (op_kernel/scan/running_scan.h), which lines in parts can be
  // What another kernel needs besides: Unified Buffer bytes of an element as it was copied, and of one as it
  // is computed on; bytes that it reads of an element.
  int64_t more_copied = 0, more_computed = 0, more_read = 0;
  const Platform &platform;

  static constexpr int64_t kLanes = 16;   // rows that TransDataTo5HD takes at once, and positions it writes
  static constexpr int64_t kRepeat = 64;  // elements of float32
  static constexpr int64_t kBlock = 32;
  static constexpr int64_t kEndRun = 16;  // ends of parts of rows that are scanned one after the other

  // Elements between rows in UB: an odd number of blocks, those of the planes of int64, so that the 16 rows
  // of a transposition lie in 16 bank groups, and room for the positions that the way back to rows rounds up
  // to.
  static int64_t Pitch(int64_t positions, int64_t bytes) {
    const int64_t block = kBlock / std::min<int64_t>(bytes, 4);
    return (CeilDiv(AlignUp(positions, kLanes), block) | 1) * block;
  }

  int64_t Planes() const { return item == 8 ? 2 : 1; }
  int64_t Piece(int64_t columns) const { return AlignUp(columns, kBlock / std::min<int64_t>(item, 4)); }
  // Elements of a position of a tile in UB.
  int64_t Width(int64_t slices, int64_t columns) const {
    return rows ? AlignUp(slices, kLanes) : slices * Piece(columns);
  }
  // Elements that a part's end takes in the workspace.
  int64_t EndUnit(int64_t columns) const { return rows ? kBlock / 4 : Piece(columns); }
  int64_t TileElements(int64_t slices, int64_t columns, int64_t positions) const {
    return AlignUp(Width(slices, columns) * (rows ? AlignUp(positions, kLanes) : positions), kRepeat);
  }

  // Unified Buffer of a tile: queues, what is computed on where that is not what was copied, carries. groups:
  // tiles of a line that is cut into parts.
  int64_t Bytes(int64_t slices, int64_t columns, int64_t positions, int64_t groups) const {
    const int64_t width = Width(slices, columns), planes = Planes();
    const int64_t tile = TileElements(slices, columns, positions);
    const int64_t copied = rows ? width * Pitch(positions, item) : tile;
    const int64_t index_copied = index_item == 0 ? 0 : rows ? width * Pitch(positions, 4) : tile;
    const bool direct = !rows && item == 4;
    const auto bits = [](int64_t elements) { return 2 * AlignUp<int64_t>(elements / 8, kBlock); };
    int64_t bytes = 4 * copied * item + planes * width * 4;
    if (rows && item == 2) bytes += tile * item;
    if (!direct && (rows || planes == 1)) bytes += std::max(planes * tile, index_copied) * 4;
    if (planes > 1) {
      constexpr int64_t kTable = 4096;
      bytes += planes * copied * 4 + planes * tile * 4 + bits(tile) + kTable + kRepeat * 4;
    }
    bytes += AlignUp(copied, kRepeat) * more_copied + tile * more_computed;
    if (index_item > 0) {
      // Positions, those that lead, results beside the inputs, and two masks of a bit each.
      bytes +=
          2 * index_copied * index_item + width * 4 + bits(tile) + tile * 4 * (2 + (direct ? 0 : planes));
    }
    if (groups > 0) {
      const int64_t ends = AlignUp((groups + slices) * EndUnit(columns), kRepeat);
      bytes += 2 * planes * ends * 4 + (index_item > 0 ? ends * 4 + bits(ends) : 0);
    }
    return bytes;
  }

  // Positions of a tile that fit, of an axis of `axis` of them; 0 for none.
  int64_t Positions(int64_t slices, int64_t columns, int64_t groups, int64_t axis) const {
    constexpr int64_t kMaxRepeats = 255;  // of a transposition, eight positions of float32 each
    constexpr int64_t kMaxBlocks = 4095;  // blockCount of DataCopyPad
    constexpr int64_t kGranule = 64;      // positions, so that stretches of rows start on whole sectors
    int64_t most = std::min(axis, rows ? AlignDown(kMaxRepeats * 8, kLanes) : kMaxBlocks);
    if (!rows && LongGap(inner)) most = 1;
    const int64_t fit = LargestFit(most, platform.ub_bytes, [&](int64_t positions) {
      return Bytes(slices, columns, positions, groups);
    });
    if (fit == axis || fit < kGranule) return fit;
    // Stretches of nearly one length.
    return std::min(fit, AlignUp(CeilDiv(axis, CeilDiv(axis, fit)), rows ? kGranule : 1));
  }

  // The gap between the rows of a copy is a uint32_t of bytes.
  bool LongGap(int64_t elements) const { return elements * item >= int64_t{1} << 32; }
};

struct ScanTile {
  int64_t slices = 0, columns = 0, positions = 0;
  int64_t run = 0;          // positions of a run (op_kernel/scan/best_scan.h), all of them for a chain
  int64_t groups = 0;       // tiles of a line whose slices are parts of it; 0: lines are whole
  int64_t part_length = 0;  // of what a slice is
  double cycles = 0;
};

constexpr double kStartCycles = 22;  // of a vector instruction, beside its repeats

// Modelled cycles of the steps of a scan, `instructions` each; every one waits for the one before.
inline double StepCycles(int64_t positions, int64_t width, int64_t run, int64_t instructions) {
  const double repeats = static_cast<double>(CeilDiv<int64_t>(width, ScanProblem::kRepeat));
  const double n = static_cast<double>(positions), steps = static_cast<double>(run);
  if (run >= positions) return static_cast<double>(instructions) * n * (kStartCycles + repeats);
  const double runs = static_cast<double>(CeilDiv(positions, run));
  return static_cast<double>(instructions) * repeats *
         (steps * (kStartCycles + runs) + runs * (kStartCycles + steps));
}

// Positions of a run: about as many as there are runs, where that is faster than a chain.
inline int64_t RunLength(const ScanProblem &problem, const ScanTile &tile) {
  constexpr int64_t kMaxBlocks = 255;  // between the repeats of an instruction, and its repeats
  const int64_t width = problem.Width(tile.slices, tile.columns);
  const int64_t row = width / (ScanProblem::kBlock / 4), n = tile.positions;
  if (!problem.running || row > kMaxBlocks) return n;
  int64_t run = 1;
  while (run * run < n) ++run;
  run = std::min(run, kMaxBlocks / row);
  const int64_t runs = CeilDiv(n, run);
  if (runs > kMaxBlocks || StepCycles(n, width, run, 1) >= StepCycles(n, width, n, 1)) return n;
  // Of two planes, results lie beside the tile first, in as much room, a whole repeat for each.
  const int64_t room = problem.TileElements(tile.slices, tile.columns, n) / ScanProblem::kRepeat;
  return problem.Planes() > 1 && std::max(run, runs) > room ? n : run;
}

// Modelled cycles of the busiest core: copies against the vector unit.
inline double ScanCycles(const ScanProblem &problem, const ScanTile &tile) {
  constexpr double kTileCycles = 600;     // two copies and a dozen instructions
  constexpr double kDispatchCycles = 80;  // of a block
  constexpr double kFullSpeedBytes = 512;
  const int64_t cores = problem.platform.vector_cores, lines = problem.outer;
  const int64_t items = (tile.groups > 0 ? lines * tile.groups : CeilDiv(lines, tile.slices)) *
                        CeilDiv(problem.inner, tile.columns);
  const double rounds = static_cast<double>(CeilDiv(items, cores));
  const double stretches = static_cast<double>(CeilDiv(tile.part_length, tile.positions));
  // Elements that lie together in global memory: whole slices follow each other, pieces of them do not.
  const bool whole = problem.rows ? tile.positions == tile.part_length : tile.columns == problem.inner;
  const int64_t run = (problem.rows ? tile.positions : tile.columns) * problem.item;
  const double slowness = whole ? 1.0 : std::max(1.0, kFullSpeedBytes / static_cast<double>(run));
  const double elements = static_cast<double>(tile.slices * tile.columns * tile.part_length);
  const double bandwidth = static_cast<double>(std::max<uint64_t>(problem.platform.hbm_bytes_per_cycle, 1));
  const double read = elements * static_cast<double>(problem.item + problem.more_read) * slowness / bandwidth;
  const double written =
      elements * static_cast<double>(problem.item + problem.index_item) * slowness / bandwidth;
  const bool indexed = problem.index_item > 0, halves = problem.item == 8;
  const int64_t width = problem.Width(tile.slices, tile.columns);
  const double steps = StepCycles(tile.positions, width, tile.run, (halves ? 7 : 1)) +
                       (indexed ? StepCycles(tile.positions, width, tile.run, 1) : 0);
  // Passes over a tile beside the steps, and those for results alone.
  const double scanned = static_cast<double>(problem.TileElements(tile.slices, tile.columns, tile.positions));
  const double loads = (problem.rows ? 2 : 0) + (halves ? 5 : 0) + (indexed ? 5 : 0);
  const double stores =
      (problem.rows ? 2 : 0) + (halves ? 27 : 0) + (indexed ? 2 : 0) + (problem.rows && indexed ? 3 : 0);
  // Instructions beside the steps: a transposition takes 16 rows in, and as many out in two halves.
  const int64_t turned =
      problem.rows ? 3 * width / ScanProblem::kLanes * (problem.Planes() + (indexed ? 1 : 0)) : 0;
  const double starts = kStartCycles * static_cast<double>(12 + turned);
  const auto pass = [&](double bytes, double passes) {
    const double compute = stretches * (steps + starts + scanned / ScanProblem::kRepeat * passes);
    return rounds * (std::max(bytes, compute) + stretches * kTileCycles) + bytes / stretches;
  };
  double cycles =
      static_cast<double>(std::min(items, cores)) * kDispatchCycles + pass(read + written, loads + stores);
  if (tile.groups > 0) {
    // Besides the input's second reading: the ends of parts, scanned before and after the cores meet.
    constexpr double kMeetCycles = 1500, kEndsCycles = 1000;
    const int64_t ends = tile.groups + tile.slices, unit = problem.EndUnit(tile.columns);
    const int64_t end_run = problem.rows ? ScanProblem::kEndRun : ends;
    const double scans = kEndsCycles + StepCycles(ends, unit, end_run, (halves ? 7 : 1) + (indexed ? 1 : 0));
    cycles += pass(read, loads) + kMeetCycles + rounds * 2 * scans;
  }
  return cycles;
}

// What op_kernel/common asks of tiles of parts beside room: pairs of positions are the repeats of an
// instruction, and the ends of rows are scanned in runs, those of int64 beside the tile.
inline bool PartsFit(const ScanProblem &problem, const ScanTile &tile) {
  constexpr int64_t kMaxBlocks = 255;
  if (2 * problem.Width(tile.slices, tile.columns) * 4 > kMaxBlocks * ScanProblem::kBlock) return false;
  const int64_t repeats =
      std::max(ScanProblem::kEndRun, CeilDiv(tile.groups + tile.slices, ScanProblem::kEndRun));
  return problem.Planes() == 1 || !problem.rows ||
         ScanProblem::kRepeat * repeats <= problem.TileElements(tile.slices, tile.columns, tile.positions);
}

inline ScanTile FindScanTile(const ScanProblem &problem) {
  constexpr int64_t kMaxSlices = 1024, kMaxColumns = 8192;
  const int64_t granule = 512 / problem.item, cores = problem.platform.vector_cores;
  ScanTile best;
  const auto consider = [&](int64_t slices, int64_t columns, int64_t groups) {
    ScanTile tile{slices, columns, 0, 0, groups, problem.length, 0};
    if (groups > 0) {
      constexpr int64_t kAlign = 64;  // positions, so that parts of rows start on whole sectors
      tile.part_length = AlignUp(CeilDiv(problem.length, slices * groups), problem.rows ? kAlign : 1);
      tile.groups = CeilDiv(CeilDiv(problem.length, tile.part_length), slices);
      if (tile.part_length == problem.length || (problem.rows && problem.LongGap(tile.part_length))) return;
    }
    tile.positions = problem.Positions(slices, columns, tile.groups, tile.part_length);
    if (tile.positions == 0) return;
    tile.run = RunLength(problem, tile);
    if (tile.groups > 0 && !PartsFit(problem, tile)) return;
    tile.cycles = ScanCycles(problem, tile);
    if (best.positions == 0 || tile.cycles < best.cycles) best = tile;
  };
  // Lines in parts, where whole ones would leave cores or lanes idle: as many tiles as cores, or twice that.
  const auto cut = [&](int64_t slices, int64_t columns) {
    const int64_t lines = problem.outer * CeilDiv(problem.inner, columns);
    if (!problem.running || lines > cores * ScanProblem::kLanes) return;
    for (const int64_t tiles : {lines, cores, 2 * cores}) {
      const int64_t groups = tiles / lines;
      if (groups > 0) consider(slices, columns, groups);
    }
  };
  if (problem.rows) {
    if (problem.LongGap(problem.length)) consider(1, 1, 0);
    for (int64_t rows = ScanProblem::kLanes; best.slices != 1 && rows <= kMaxSlices;
         rows += ScanProblem::kLanes) {
      consider(rows, 1, 0);
      if (rows >= problem.outer) break;
    }
    for (int64_t parts = 1; parts <= 8; ++parts) cut(parts * ScanProblem::kLanes, 1);
    return best;
  }
  const int64_t fewest = CeilDiv(problem.inner, kMaxColumns);
  const int64_t most = std::min(CeilDiv(problem.inner, granule), fewest + 2 * cores);
  for (int64_t tiles = fewest; tiles <= std::max(fewest, most); ++tiles) {
    int64_t columns = CeilDiv(problem.inner, tiles);
    if (tiles > 1) columns = AlignUp(columns, granule);
    columns = std::min(columns, problem.inner);
    for (int64_t slices = 1; slices <= kMaxSlices; slices *= 2) {
      consider(std::min(slices, problem.outer), columns, 0);
      if (slices >= problem.outer) break;
    }
  }
  for (const int64_t columns : {problem.inner, granule, 2 * granule, 4 * granule}) {
    for (int64_t parts = 1; parts <= 128 && columns <= problem.inner; parts *= 2) cut(parts, columns);
  }
  // A Unified Buffer too small for that: a few elements a time.
  for (int64_t few = granule; best.positions == 0 && few > 0; few /= 2)
    consider(1, std::min(few, problem.inner), 0);
  return best;
}

// Keys of the two layouts, as the contract numbers them.
struct ScanKeys {
  uint64_t columns;
  uint64_t rows;
};

// found: the tile, where the caller's struct says more about it.
template <typename Tiling>
Plan<Tiling> PlanScan(ScanProblem problem, const ScanKeys &keys, ScanTile *found = nullptr) {
  Plan<Tiling> plan;
  Tiling &tiling = plan.tiling;
  plan.tiling_key = problem.rows ? keys.rows : keys.columns;
  tiling.outer = problem.outer;
  tiling.length = problem.length;
  tiling.inner = problem.inner;
  if (problem.outer * problem.length * problem.inner == 0) return plan;
  ScanTile tile = FindScanTile(problem);
  if (tile.positions == 0 && problem.rows) {
    // 16 rows do not fit: one element of a row after the other does.
    problem.rows = false;
    plan.tiling_key = keys.columns;
    tile = FindScanTile(problem);
  }
  if (tile.positions == 0) {
    throw std::invalid_argument("the Unified Buffer has " + std::to_string(problem.platform.ub_bytes) +
                                " bytes, the smallest tile of a scan takes " +
                                std::to_string(problem.Bytes(1, 1, 1, 0)));
  }
  tiling.outerTiles = tile.groups > 0 ? problem.outer * tile.groups : CeilDiv(problem.outer, tile.slices);
  tiling.columnTiles = CeilDiv(problem.inner, tile.columns);
  tiling.tileOuter = static_cast<uint32_t>(tile.slices);
  tiling.tileColumns = static_cast<uint32_t>(tile.columns);
  tiling.tileLength = static_cast<uint32_t>(tile.positions);
  tiling.rowPitch = static_cast<uint32_t>(ScanProblem::Pitch(tile.positions, problem.item));
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(tiling.outerTiles * tiling.columnTiles, problem.platform.vector_cores));
  if (tile.groups > 0) {
    const int64_t ends = tiling.outerTiles * tiling.columnTiles * tile.slices * problem.EndUnit(tile.columns);
    plan.workspace = static_cast<uint64_t>(ends * 4 * (problem.Planes() + (problem.index_item > 0 ? 1 : 0)));
  }
  if (found != nullptr) *found = tile;
  return plan;
}

// Of a scan for the best so far.
template <typename Tiling>
Plan<Tiling> PlanRunningScan(ScanProblem problem, const ScanKeys &keys) {
  problem.running = true;
  ScanTile tile;
  auto plan = PlanScan<Tiling>(problem, keys, &tile);
  plan.tiling.groups = tile.groups;
  plan.tiling.partLength = tile.part_length;
  plan.tiling.runLength = static_cast<uint32_t>(tile.run);
  return plan;
}

}  // namespace avo
