// SPDX-License-Identifier: Apache-2.0
// What the tilings of pooling share: windows along both axes, cut into tiles of planes, rows and columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

struct PoolAxis {
  int64_t in, out, kernel, stride, padding, dilation;

  // Inputs from the first to the last of `count` windows, `taps` elements of each.
  int64_t Span(int64_t count, int64_t taps) const { return (count - 1) * stride + (taps - 1) * dilation + 1; }
  int64_t Inside(int64_t count, int64_t taps) const { return std::min(in, Span(count, taps)); }
};

struct PoolProblem {
  PoolProblem(const Tensor &input, const Tensor &out, const Shape &kernel, const Shape &stride,
              const Shape &padding, const Shape &dilation)
      : planes(input.shape[0] * input.shape[1]),
        item(DTypeSize(input.dtype)),
        rows{input.shape[2], out.shape[2], kernel[0], stride[0], padding[0], dilation[0]},
        columns{input.shape[3], out.shape[3], kernel[1], stride[1], padding[1], dilation[1]} {}

  // The problem itself, as all pooling structs have it.
  template <typename Tiling>
  void State(Tiling *t) const {
    t->planes = planes;
    t->inRows = rows.in, t->inColumns = columns.in;
    t->outRows = rows.out, t->outColumns = columns.out;
    t->kernelRows = rows.kernel, t->kernelColumns = columns.kernel;
    t->strideRows = rows.stride, t->strideColumns = columns.stride;
    t->padRows = rows.padding, t->padColumns = columns.padding;
    t->dilateRows = rows.dilation, t->dilateColumns = columns.dilation;
  }

  int64_t planes, item;
  PoolAxis rows, columns;
  int64_t element = 4;  // bytes of what windows are combined in
  bool means = false;
};

// Modelled cycles of `rounds` tiles, one after the other: loads, computing and stores overlap.
inline double PipelineCycles(int64_t rounds, double load, double compute, double store) {
  constexpr double kLatency = 300;
  return load + static_cast<double>(rounds - 1) * std::max({load, store, compute}) + compute + store +
         kLatency;
}

// Outputs of a tile, and elements of their windows that are loaded at once.
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

// Buffers of a tile, as the kernel's Init asks for them, and the cycles it takes.
struct PoolBuffers {
  static constexpr int64_t kLanes = 16;  // rows that TransDataTo5HD takes at once, and positions it writes
  static constexpr int64_t kBlockFloats = 8;  // of a data block
  static constexpr int64_t kSkewBytes = 512;  // by which results are moved between bank groups

  PoolBuffers(const PoolProblem &problem, const PoolTile &tile) {
    const int64_t item = problem.item, element = problem.element, block = 32 / item;
    const PoolAxis &columns = problem.columns;
    const int64_t span = columns.Span(tile.columns, tile.tap_columns);
    const int64_t needed = std::min(columns.in, span);
    whole_rows =
        tile.columns == columns.out && tile.tap_columns == columns.kernel && 16 * needed >= 15 * columns.in;
    const int64_t pitch = AlignUp(whole_rows ? columns.in : needed, block);
    in_rows = tile.planes * problem.rows.Span(tile.rows, tile.tap_rows);
    in_elements = in_rows * pitch;
    // Odd numbers of blocks and of groups of lanes, so that transpositions reach all bank groups.
    row_pitch = (CeilDiv(needed, 32 / element) | 1) * (32 / element);
    const int64_t rows = tile.planes * tile.rows, positions = AlignUp(tile.columns, kLanes);
    // A position's lanes are one repeat; seven blocks of it do not meet those beside them in a bank group.
    slot_lanes = std::min<int64_t>(AlignUp(rows, kLanes), (element == 2 ? 7 : 4) * kLanes);
    slots = span + kLanes;
    out_pitch = (CeilDiv(positions, block) | 1) * block;

    // Few rows are combined one by one.
    chunk = tile.planes * tile.rows > CeilDiv<int64_t>(pitch, 64) ? 64 : pitch;
    wide_elements = item == element ? 0 : in_rows * AlignUp(pitch, chunk);
    const int64_t staging = item == element ? 0 : positions * (slot_lanes | kLanes) * item;
    bytes = 2 * in_elements * item + rows * row_pitch * element + (slots + positions) * slot_lanes * element +
            2 * AlignUp(rows, kLanes) * out_pitch * item + wide_elements * element + staging + kSkewBytes;
    constexpr int64_t kMaxCopyRows = 4095;      // blockCount of DataCopyPad
    constexpr int64_t kMaxPositions = 255 * 8;  // of one transposition
    constexpr int64_t kTooLarge = int64_t{1} << 40;
    if (std::max(in_rows, rows) > kMaxCopyRows || span > kMaxPositions) bytes = kTooLarge;

    Measure(problem, tile, needed);
  }

  double Cycles(int64_t rounds, double bandwidth) const {
    constexpr double kStoreBytes = 32;
    const double load = std::max(bytes_in / bandwidth, runs_in * kCopyRow);
    const double store = std::max(bytes_out / kStoreBytes, runs_out * kCopyRow);
    return PipelineCycles(rounds, load, compute, store);
  }

  bool whole_rows;
  int64_t in_rows, in_elements, wide_elements, chunk, row_pitch, slots, slot_lanes, out_pitch, bytes;
  double bytes_in, bytes_out, runs_in, runs_out, compute;

 private:
  static constexpr double kCopyRow = 8;  // cycles
  static constexpr int64_t kLine = 512;  // of global memory

  void Measure(const PoolProblem &problem, const PoolTile &tile, int64_t needed) {
    const auto real = [](int64_t n) { return static_cast<double>(n); };
    const int64_t item = problem.item, element = problem.element, all_rows = tile.planes * tile.rows;
    // Rows that are no whole blocks are copied one by one. A run that begins inside a line reads one more.
    const int64_t loaded = problem.rows.Inside(tile.rows, tile.tap_rows);
    const int64_t row = (whole_rows ? problem.columns.in : needed) * item;
    const bool dense = whole_rows && row % 32 == 0;
    const int64_t run = dense ? row * loaded : row;
    runs_in = real(dense ? tile.planes : tile.planes * loaded);
    bytes_in =
        runs_in * (real(run) + (run % kLine == 0 ? 0 : std::min(real(run) * real(run) / kLine, real(kLine))));
    runs_out = real(all_rows);
    bytes_out = real(all_rows * tile.columns * item);
    // A vector instruction starts in 22 cycles; a repeat of operands whose banks meet takes two.
    const auto cycles = [](double instructions, double repeats) { return 22 * instructions + repeats; };
    const double rows = real(all_rows), outputs = real(tile.columns),
                 parts = real(CeilDiv(needed, 256 / element));
    const double groups = real(CeilDiv(all_rows, kLanes)), batches = real(CeilDiv(all_rows, slot_lanes));
    compute = std::max(1.0, real(problem.rows.kernel - 1)) *
                  cycles(real(std::min(tile.planes, tile.rows)) * parts, 1.5 * rows * parts) +
              std::max(1.0, real(problem.columns.kernel - 1)) * batches * cycles(1, 1.3 * outputs) +
              groups * cycles(2, real(needed * element + tile.columns * item) / 16);
    if (item != element) compute += cycles(1, real(wide_elements) / 64) + batches * cycles(1, outputs);
    if (problem.means) compute += batches * cycles(2, outputs);
  }
};

// The columns of a tile, and the part of a window, that the Unified Buffer holds.
inline PoolTile FitPoolTile(const PoolProblem &problem, int64_t most_columns, const Platform &platform) {
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  const auto fit = [&](int64_t limit, auto tile_of) {
    return LargestFit(limit, platform.ub_bytes,
                      [&](int64_t n) { return PoolBuffers(problem, tile_of(n)).bytes; });
  };
  // The gap between the rows of a copy is a uint32_t of bytes.
  const bool long_rows = columns.in * problem.item >= int64_t{1} << 32;
  PoolTile tile{1, 1, 1, long_rows ? 1 : rows.kernel, columns.kernel};
  tile.columns =
      fit(most_columns, [&](int64_t n) { return PoolTile{1, 1, n, tile.tap_rows, columns.kernel}; });
  if (tile.columns < 1) {
    // Not even one window: pieces of it.
    tile.columns = 1;
    tile.tap_columns =
        std::max<int64_t>(1, fit(columns.kernel, [](int64_t n) { return PoolTile{1, 1, 1, 1, n}; }));
    tile.tap_rows = std::max<int64_t>(
        1, fit(tile.tap_rows, [&](int64_t n) { return PoolTile{1, 1, 1, n, tile.tap_columns}; }));
  }
  tile.columns = CeilDiv(columns.out, CeilDiv(columns.out, tile.columns));
  return tile;
}

// Bytes a cycle that each core reads while all do. HBM's is of a cube core with its vector cores; published
// copies reach 84 % of it.
inline double PoolBandwidth(const Platform &platform) {
  const double cores = static_cast<double>(std::max<int64_t>(1, platform.vector_cores));
  return std::max(1.0,
                  0.84 * static_cast<double>(platform.hbm_bytes_per_cycle * platform.cube_cores) / cores);
}

inline PoolTile FindPoolTile(const PoolProblem &problem, const Platform &platform, double *best_cycles) {
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  constexpr int64_t kFewColumns = 64;
  PoolTile best{};
  const auto consider = [&](const PoolTile &tile) {
    const int64_t tiles = CeilDiv(problem.planes, tile.planes) * CeilDiv(rows.out, tile.rows) *
                          CeilDiv(columns.out, tile.columns);
    const double cycles =
        PoolBuffers(problem, tile)
            .Cycles(CeilDiv<int64_t>(tiles, platform.vector_cores), PoolBandwidth(platform));
    if (best.planes == 0 || cycles < *best_cycles) best = tile, *best_cycles = cycles;
  };
  for (int64_t most = columns.out;; most = CeilDiv<int64_t>(most, 2)) {
    PoolTile tile = FitPoolTile(problem, most, platform);
    const bool pieces = tile.tap_rows < rows.kernel || tile.tap_columns < columns.kernel;
    if (pieces) {
      consider(tile);
      return tile;
    }
    const auto fit = [&](int64_t limit, int64_t PoolTile::*extent) {
      return LargestFit(limit, platform.ub_bytes, [&](int64_t n) {
        PoolTile larger = tile;
        larger.*extent = n;
        return PoolBuffers(problem, larger).bytes;
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
  plan.tiling_key = key;
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  const PoolBuffers buffers(problem, tile);
  Tiling &t = plan.tiling;
  problem.State(&t);
  t.planeGroups = CeilDiv(problem.planes, tile.planes);
  t.rowTiles = CeilDiv(rows.out, tile.rows);
  t.columnTiles = CeilDiv(columns.out, tile.columns);
  tile.State(&t);
  t.wholeRows = buffers.whole_rows ? 1 : 0;
  t.inElements = static_cast<uint32_t>(buffers.in_elements);
  t.wideElements = static_cast<uint32_t>(buffers.wide_elements);
  t.chunk = static_cast<uint32_t>(buffers.chunk);
  t.rowPitch = static_cast<uint32_t>(buffers.row_pitch);
  t.slots = static_cast<uint32_t>(buffers.slots);
  t.slotLanes = static_cast<uint32_t>(buffers.slot_lanes);
  t.outPitch = static_cast<uint32_t>(buffers.out_pitch);
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(platform.vector_cores, t.planeGroups * t.rowTiles * t.columnTiles));
  return plan;
}

}  // namespace avo
