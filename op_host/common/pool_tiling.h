// SPDX-License-Identifier: Apache-2.0
// What the tilings of pooling share: windows along both axes, cut into tiles of planes, rows and columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan.h"
#include "tensor.h"
#include "tile_search.h"

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
};

// Outputs of a tile, and elements of their windows that are loaded at once.
struct PoolTile {
  int64_t planes, rows, columns, tap_rows, tap_columns;
};

// Buffers of a tile, as the kernel's Init asks for them.
struct PoolBuffers {
  static constexpr int64_t kLanes = 16;  // rows that TransDataTo5HD takes at once, and positions it writes
  static constexpr int64_t kBlockFloats = 8;  // of a data block

  PoolBuffers(const PoolProblem &problem, const PoolTile &tile) {
    constexpr int64_t kMaxLanePlanes = 31;
    constexpr int64_t kFactorBytes = 256;  // of the means of 16 rows
    const int64_t block = 32 / problem.item, stride = problem.columns.stride;
    const int64_t span = problem.columns.Span(tile.columns, tile.tap_columns);
    in_rows = tile.planes * problem.rows.Inside(tile.rows, tile.tap_rows);
    in_elements = in_rows * AlignUp(problem.columns.Inside(tile.columns, tile.tap_columns), block);
    // An odd number of blocks, so that the 16 rows of a transposition lie in 16 bank groups.
    row_pitch = (CeilDiv(std::min(span, problem.columns.in), kBlockFloats) | 1) * kBlockFloats;
    lane_planes = stride <= kMaxLanePlanes ? stride : 1;
    lane_pitch = AlignUp(CeilDiv(span + kLanes, lane_planes), kBlockFloats);
    out_pitch = (CeilDiv(AlignUp(tile.columns, kLanes), block) | 1) * block;

    const int64_t rows = tile.planes * tile.rows, positions = AlignUp(tile.columns, kLanes);
    const int64_t widened = problem.item == 4 ? 0 : in_elements * 4 + positions * kLanes * problem.item;
    bytes = 2 * in_elements * problem.item + rows * row_pitch * 4 +
            (lane_planes * lane_pitch + positions) * kLanes * 4 +
            2 * AlignUp(rows, kLanes) * out_pitch * problem.item + kFactorBytes + widened;
    constexpr int64_t kMaxCopyRows = 4095;      // blockCount of DataCopyPad
    constexpr int64_t kMaxPositions = 255 * 8;  // of one transposition
    constexpr int64_t kTooLarge = int64_t{1} << 40;
    if (std::max(in_rows, rows) > kMaxCopyRows || span > kMaxPositions) bytes = kTooLarge;
  }

  int64_t in_rows, in_elements, row_pitch, lane_planes, lane_pitch, out_pitch, bytes;
};

template <typename Tiling>
Plan<Tiling> PlanPool(const PoolProblem &problem, uint64_t key, const Platform &platform) {
  Plan<Tiling> plan;
  plan.tiling_key = key;
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  if (problem.planes == 0) return plan;

  // As many columns as fit with one row of whole windows; failing that, one window in pieces.
  const auto fit = [&](int64_t limit, auto tile_of) {
    return LargestFit(limit, platform.ub_bytes,
                      [&](int64_t n) { return PoolBuffers(problem, tile_of(n)).bytes; });
  };
  // The gap between the rows of a copy is a uint32_t of bytes.
  const bool long_rows = columns.in * problem.item >= int64_t{1} << 32;
  PoolTile tile{1, 1, 1, long_rows ? 1 : rows.kernel, columns.kernel};
  tile.columns =
      fit(columns.out, [&](int64_t n) { return PoolTile{1, 1, n, tile.tap_rows, columns.kernel}; });
  bool pieces = long_rows;
  if (tile.columns < 1) {
    pieces = true;
    tile.columns = 1;
    tile.tap_columns =
        std::max<int64_t>(1, fit(columns.kernel, [](int64_t n) { return PoolTile{1, 1, 1, 1, n}; }));
    tile.tap_rows = std::max<int64_t>(
        1, fit(tile.tap_rows, [&](int64_t n) { return PoolTile{1, 1, 1, n, tile.tap_columns}; }));
  }
  const int64_t column_tiles = CeilDiv(columns.out, tile.columns);
  tile.columns = CeilDiv(columns.out, column_tiles);

  const auto sized = [&](int64_t plane_count, int64_t row_count) {
    return PoolTile{plane_count, row_count, tile.columns, tile.tap_rows, tile.tap_columns};
  };
  const Tile best = FindTile(
      {problem.planes * column_tiles, rows.out, 1, column_tiles == 1 && !pieces ? problem.planes : 1,
       pieces ? 1 : rows.out, 1},
      platform, [&](int64_t p, int64_t r) { return PoolBuffers(problem, sized(p, r)).bytes; },
      [&](int64_t p, int64_t r) {
        const int64_t in = rows.Inside(r, rows.kernel) * columns.Inside(tile.columns, columns.kernel);
        return static_cast<double>(p * (in + r * tile.columns) * problem.item);
      });
  tile.planes = std::max<int64_t>(1, best.rows);
  tile.rows = std::max<int64_t>(1, best.units);

  const PoolBuffers buffers(problem, tile);
  Tiling &t = plan.tiling;
  problem.State(&t);
  t.planeGroups = CeilDiv(problem.planes, tile.planes);
  t.rowTiles = CeilDiv(rows.out, tile.rows);
  t.columnTiles = column_tiles;
  t.tilePlanes = static_cast<uint32_t>(tile.planes);
  t.tileRows = static_cast<uint32_t>(tile.rows);
  t.tileColumns = static_cast<uint32_t>(tile.columns);
  t.tapRows = static_cast<uint32_t>(tile.tap_rows);
  t.tapColumns = static_cast<uint32_t>(tile.tap_columns);
  t.inElements = static_cast<uint32_t>(buffers.in_elements);
  t.rowPitch = static_cast<uint32_t>(buffers.row_pitch);
  t.lanePlanes = static_cast<uint32_t>(buffers.lane_planes);
  t.lanePitch = static_cast<uint32_t>(buffers.lane_pitch);
  t.outPitch = static_cast<uint32_t>(buffers.out_pitch);
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(platform.vector_cores, t.planeGroups * t.rowTiles * t.columnTiles));
  return plan;
}

}  // namespace avo
