// SPDX-License-Identifier: Apache-2.0
// How ArgMax cuts a tensor: tiles of slices and columns where the searched axis is not the last one, else
// tiles of lines, or of parts of lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

struct ArgmaxTile {
  int64_t slices = 0;     // of columns, or parts of lines
  int64_t columns = 1;    // of each slice
  int64_t positions = 0;  // of the searched axis in UB at once; 0: nothing fits
  int64_t parts = 1;      // of a line
  int64_t apart = 0;      // lines from lane to lane, where lines are lanes
  double cycles = 0;
};

// A tensor as (outer, length, inner) around the searched axis, and what its dtype costs.
struct ArgmaxProblem {
  ArgmaxProblem(DType dtype, int64_t index_item, const Platform &platform)
      : item(DTypeSize(dtype)),
        index_item(index_item),
        whole(dtype == DType::kInt32 || dtype == DType::kInt64),
        direct(dtype == DType::kInt32 || dtype == DType::kFloat32),
        platform(platform) {}

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item, index_item;
  bool whole, direct;  // compared as int32; as it was copied
  const Platform &platform;

  static constexpr int64_t kRepeat = 64;       // lanes
  static constexpr int64_t kMaxRepeats = 255;  // of an instruction
  static constexpr int64_t kBlock = 32;

  int64_t Planes() const { return item == 8 ? 2 : 1; }
  int64_t Limbs() const { return 2 * Planes(); }

  // Columns: lanes of a position in UB, slices on whole blocks of inputs, keys and results, and positions on
  // pairs of repeats, for the sake of UB's banks.
  int64_t Lanes(int64_t slices, int64_t columns) const {
    return AlignUp(slices * AlignUp(columns, kBlock / std::min<int64_t>(item, 4)), 2 * kRepeat);
  }
  // Lines: elements from row to row in UB.
  int64_t Pitch(int64_t elements) const { return AlignUp(elements, kBlock / std::min<int64_t>(item, 4)); }
  int64_t PartLength(int64_t parts) const {
    return std::min(length, AlignUp(CeilDiv(length, parts), kRepeat));
  }
  static int64_t PartsAtOnce(int64_t parts) { return std::min<int64_t>(AlignUp<int64_t>(parts, 8), 1024); }

  // Unified Buffer of what was loaded, and of its keys.
  int64_t LoadBytes(int64_t elements) const {
    return elements * (2 * item + (direct ? 0 : 4 * Planes()) + (item == 1 ? 2 : 0));
  }
  int64_t LeaderBytes(int64_t lanes) const {
    return (lanes * (Planes() + 1 + (whole ? 1 : 0)) + kRepeat) * 4 + 3 * AlignUp(lanes / 8, kBlock);
  }
  int64_t ColumnBytes(int64_t lanes, int64_t positions) const {
    return LoadBytes(lanes * positions) + LeaderBytes(lanes) + 2 * lanes * index_item;
  }
  int64_t LineBytes(int64_t rows, int64_t elements, int64_t parts) const {
    const int64_t lanes = rows * kRepeat, results = AlignUp<int64_t>(rows, 8), found = (Limbs() + 1) * 4;
    int64_t bytes =
        LoadBytes(rows * Pitch(elements) + kRepeat) + LeaderBytes(lanes) + 2 * results * index_item;
    bytes += 2 * lanes * 4 + results * (kBlock + kRepeat / 8 + found) + kRepeat * 4;
    bytes += whole ? lanes * 4 : results * kRepeat / 8;
    if (parts > 1) bytes += found * (results + PartsAtOnce(parts));
    return bytes;
  }

  // Lines as lanes: those that begin at the same place of a block of keys become lanes together.
  int64_t Apart() const { return std::lcm<int64_t>(length, kBlock / 4) / length; }
  int64_t ShortLanes(int64_t lines) const {
    return AlignUp(Apart() * AlignUp<int64_t>(CeilDiv(lines, Apart()), 16), 2 * kRepeat);
  }
  int64_t ShortBytes(int64_t lines) const {
    constexpr int64_t kTooLarge = int64_t{1} << 40;
    const int64_t lanes = ShortLanes(lines), each = AlignDown<int64_t>(lanes / Apart(), 16);
    if (lanes > kMaxRepeats * kRepeat || each > kMaxRepeats * 8) return kTooLarge;
    return LoadBytes(Pitch(lines * length)) + LeaderBytes(lanes) + Planes() * (length + 16) * lanes * 4 +
           2 * lanes * index_item + lanes * 4 + each * 64;
  }

  // Modelled cycles of offering an element to `repeats` repeats of lanes.
  double OfferCycles(int64_t repeats) const {
    constexpr double kStart = 22;
    const double per_repeat = item == 8 ? 7 : 4, instructions = item == 8 ? 12 : whole ? 4 : 6;
    const double keys = direct ? 0 : item == 8 ? 5 : item == 1 ? 2 : 1;
    return instructions * kStart + (per_repeat + keys) * static_cast<double>(repeats);
  }

  // Of `tiles` tiles that load `stretches` times each, `elements` in all, in runs of `run` elements.
  double Cycles(int64_t tiles, int64_t stretches, int64_t elements, int64_t run, double compute) const {
    constexpr double kStretchCycles = 600;  // a copy and a dozen instructions, their latency
    constexpr double kDispatchCycles = 80;  // of a block
    constexpr double kFullSpeedBytes = 512;
    const double slowness = std::max(1.0, kFullSpeedBytes / static_cast<double>(run * item));
    const double bandwidth = platform.hbm_bytes_per_cycle > 0 ? platform.hbm_bytes_per_cycle : 1;
    const double bytes = static_cast<double>(elements * item) * slowness / bandwidth;
    const int64_t cores = platform.vector_cores;
    return static_cast<double>(std::min(tiles, cores)) * kDispatchCycles +
           static_cast<double>(CeilDiv(tiles, cores)) *
               (std::max(bytes, compute) + kStretchCycles * static_cast<double>(stretches)) +
           bytes / static_cast<double>(stretches);
  }
};

inline void Consider(ArgmaxTile *best, const ArgmaxTile &tile) {
  if (tile.positions > 0 && (best->positions == 0 || tile.cycles < best->cycles)) *best = tile;
}

inline ArgmaxTile FindColumnTile(const ArgmaxProblem &problem) {
  constexpr int64_t kMaxRows = 4095;  // blockCount of DataCopyPad
  const int64_t granule = 512 / problem.item, cores = problem.platform.vector_cores;
  const int64_t widest = ArgmaxProblem::kMaxRepeats * ArgmaxProblem::kRepeat;
  // The gap between the rows of a copy is a uint32_t of bytes.
  const int64_t most =
      problem.inner * problem.item >= int64_t{1} << 32 ? 1 : std::min(problem.length, kMaxRows);
  ArgmaxTile best;
  const auto consider = [&](int64_t slices, int64_t columns) {
    const int64_t lanes = problem.Lanes(slices, columns);
    if (lanes > widest) return;
    ArgmaxTile tile{slices, columns};
    tile.positions =
        LargestFit(most, problem.platform.ub_bytes, [&](int64_t n) { return problem.ColumnBytes(lanes, n); });
    if (tile.positions == 0) return;
    const int64_t stretches = CeilDiv(problem.length, tile.positions);
    tile.positions = CeilDiv(problem.length, stretches);
    tile.cycles = problem.Cycles(
        CeilDiv(problem.outer, slices) * CeilDiv(problem.inner, columns), stretches,
        slices * columns * problem.length, columns,
        static_cast<double>(problem.length) * problem.OfferCycles(lanes / ArgmaxProblem::kRepeat));
    Consider(&best, tile);
  };
  const int64_t fewest = CeilDiv(problem.inner, widest);
  const int64_t last = std::max(fewest, std::min(CeilDiv(problem.inner, granule), 4 * fewest + 2 * cores));
  for (int64_t tiles = fewest; tiles <= last; ++tiles) {
    int64_t columns = CeilDiv(problem.inner, tiles);
    if (tiles > 1) columns = std::min(problem.inner, AlignUp(columns, granule));
    for (int64_t slices = 1;; slices = std::min(problem.outer, slices * 2)) {
      consider(slices, columns);
      if (slices == problem.outer || slices * columns > widest) break;
    }
  }
  for (int64_t columns = granule; best.positions == 0 && columns > 0; columns /= 2) consider(1, columns);
  return best;
}

// Lines as lanes: as many as fit, or as all cores share evenly.
inline void ConsiderShortTiles(const ArgmaxProblem &problem, ArgmaxTile *best) {
  constexpr int64_t kFewestLines = 2, kRounds = 8, kMaxTransposed = 255 * 8;
  const int64_t apart = problem.Apart(), cores = problem.platform.vector_cores;
  if (problem.length + 8 > kMaxTransposed || problem.outer < kFewestLines) return;
  const int64_t most = LargestFit(problem.outer, problem.platform.ub_bytes,
                                  [&](int64_t lines) { return problem.ShortBytes(lines); });
  if (most == 0) return;
  const int64_t fewest = CeilDiv(problem.outer, cores * most);
  for (int64_t rounds = fewest; rounds < fewest + kRounds; ++rounds) {
    ArgmaxTile tile{std::min(most, CeilDiv(problem.outer, cores * rounds)), 1, problem.length};
    tile.apart = apart;
    const int64_t repeats = problem.ShortLanes(tile.slices) / ArgmaxProblem::kRepeat;
    const double turns = static_cast<double>(4 * repeats * problem.Planes());
    const double compute = static_cast<double>(problem.length) * problem.OfferCycles(repeats) +
                           turns * (22 + static_cast<double>(problem.length) / 4);
    tile.cycles = problem.Cycles(CeilDiv(problem.outer, tile.slices), 1, tile.slices * problem.length,
                                 tile.slices * problem.length, compute);
    Consider(best, tile);
  }
}

inline ArgmaxTile FindLineTile(const ArgmaxProblem &problem) {
  constexpr int64_t kMaxPart = int64_t{1} << 23;  // indices within a part are exact in float32
  constexpr int64_t kMaxBytes = 255 * 32;         // of the float32 of a row in UB: an instruction's stride
  constexpr int64_t kReduceCycles = 600, kReduceRowCycles = 25, kJoinCycles = 40;
  const int64_t cores = problem.platform.vector_cores, unit = ArgmaxProblem::kRepeat;
  const int64_t fewest = CeilDiv(problem.length, kMaxPart);
  const int64_t most =
      std::max(fewest, std::min(CeilDiv(problem.length, 8 * unit), CeilDiv(64 * cores, problem.outer)));
  ArgmaxTile best;
  for (int64_t parts = fewest; parts <= most; parts = std::max(parts + 1, parts * 9 / 8)) {
    const int64_t length = problem.PartLength(parts);
    // Parts that begin where others do would be in vain.
    if (parts > 1 && (parts - 1) * length >= problem.length) continue;
    const int64_t rows_of_all = problem.outer * parts;
    const bool long_gap = problem.length * problem.item >= int64_t{1} << 32;
    for (int64_t rows = 1; rows <= ArgmaxProblem::kMaxRepeats; rows = rows < 8 ? rows + 1 : rows + rows / 8) {
      ArgmaxTile tile{std::min(rows, rows_of_all), 1, 0, parts};
      tile.positions =
          LargestFit(std::min<int64_t>(length, AlignDown(kMaxBytes / 4, unit)), problem.platform.ub_bytes,
                     [&](int64_t n) { return problem.LineBytes(tile.slices, n, parts); });
      if (tile.positions < length) {
        const int64_t stretches = CeilDiv(length, std::max<int64_t>(1, AlignDown(tile.positions, unit)));
        tile.positions = std::min(AlignDown(tile.positions, unit), AlignUp(CeilDiv(length, stretches), unit));
      }
      if (tile.positions == 0 || (long_gap && parts == 1 && tile.slices > 1)) break;
      const double compute = static_cast<double>(CeilDiv(length, unit)) * problem.OfferCycles(tile.slices) +
                             kReduceCycles + static_cast<double>(kReduceRowCycles * tile.slices);
      tile.cycles = problem.Cycles(CeilDiv(rows_of_all, tile.slices), CeilDiv(length, tile.positions),
                                   tile.slices * length, tile.positions, compute);
      if (parts > 1) {
        tile.cycles += static_cast<double>(CeilDiv(problem.outer, cores) * (1000 + parts * kJoinCycles));
      }
      Consider(&best, tile);
      if (rows >= rows_of_all) break;
    }
  }
  ConsiderShortTiles(problem, &best);
  return best;
}

}  // namespace avo
