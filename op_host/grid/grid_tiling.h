// SPDX-License-Identifier: Apache-2.0
// What the tilings of grid_sampler and of its gradient share: tiles of samples, and boxes of the pixels that
// they read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/last_position.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_kernel/grid/grid_tiling.h"

namespace avo {

// A call, in numbers.
struct GridProblem {
  GridProblem(const Tensor &input, const Tensor &grid, int64_t interpolation_mode, int64_t padding_mode,
              bool corners)
      : images(input.shape[0]),
        channels(input.shape[1]),
        height(input.shape[2]),
        width(input.shape[3]),
        out_rows(grid.shape[1]),
        out_columns(grid.shape[2]),
        item(DTypeSize(input.dtype)),
        interpolation(interpolation_mode),
        padding(padding_mode),
        align_corners(corners),
        taps(interpolation == 0   ? 2
             : interpolation == 1 ? 1
                                  : 4) {}

  // Elements of the largest box that tiling looks for: the whole image, a data block of zeros before each row
  // and one at its end, but at most 72 KiB. A smooth grid is not faster with more.
  int64_t LargestBox() const {
    constexpr int64_t kMostBytes = 72 * 1024;
    const int64_t block = kBlockBytes / item;
    return std::min(height * (AlignUp(width, block) + block) + block, kMostBytes / item);
  }

  static constexpr int64_t kBlockBytes = 32;

  int64_t images, channels, height, width, out_rows, out_columns;
  int64_t item;  // bytes of an element
  int64_t interpolation, padding;
  bool align_corners;
  int64_t taps;  // neighbours along an axis
};

// Room in UB: for the samples of a tile, and for the elements of a box.
struct GridTileSize {
  int64_t capacity = 0;
  int64_t box = 0;
};

// Bytes of UB that stay free beside a tile of so many samples. The tiles that docs/performance.md has times
// of were chosen with this margin.
inline uint64_t GridSpareBytes(int64_t capacity) { return static_cast<uint64_t>(capacity) + 64; }

// Finds the most samples that leave room for the largest box. If these are few, tile and box share UB evenly,
// and a box comes in pieces. `samples` is the most that a tile may have; bytes(capacity, box) is what the
// kernel takes of UB.
template <typename Bytes>
GridTileSize FindGridTile(const GridProblem &problem, int64_t samples, const Platform &platform,
                          const Bytes &bytes) {
  constexpr int64_t kRepeat = 64, kMostSamples = 2048, kFewSamples = 256, kBoxes = 2;
  const int64_t block = GridProblem::kBlockBytes / problem.item;
  const uint64_t least = bytes(kRepeat, 3 * block);
  if (least > platform.ub_bytes) ThrowUbTooSmall(platform, least);
  const auto with_spare = [&](int64_t capacity, int64_t box) {
    return bytes(capacity, box) + GridSpareBytes(capacity);
  };
  const uint64_t budget = std::max(platform.ub_bytes, least + GridSpareBytes(kRepeat));
  const int64_t most = AlignUp(std::clamp<int64_t>(samples, 1, kMostSamples), kRepeat);
  const auto capacity_beside = [&](int64_t box) {
    return kRepeat *
           LargestFit(most / kRepeat, budget, [&](int64_t n) { return with_spare(n * kRepeat, box); });
  };
  const int64_t wanted = problem.LargestBox();
  int64_t capacity = capacity_beside(wanted);
  if (capacity < std::min(most, kFewSamples)) {
    const int64_t half = static_cast<int64_t>(platform.ub_bytes) / (2 * kBoxes * problem.item);
    capacity = std::max(kRepeat, capacity_beside(half));
  }
  const int64_t blocks =
      LargestFit(wanted / block, budget, [&](int64_t n) { return with_spare(capacity, n * block); });
  return {capacity, blocks * block};
}

// Fills the fields of the tiling that both operators need. With `one_row` a tile is a run of samples that may
// go on in the next row of the grid.
inline void FillGrid(const GridProblem &problem, const GridTileSize &size, bool one_row, GridTiling *tiling) {
  constexpr int64_t kTileColumns = 128;   // most samples of a tile along a row, where it has several rows
  constexpr int64_t kColumnGranule = 16;  // samples that a copy of rows moves at full speed
  GridTiling &t = *tiling;
  t.images = problem.images, t.channels = problem.channels;
  t.height = problem.height, t.width = problem.width;
  const bool several_rows =
      !one_row && problem.out_columns % kColumnGranule == 0 && problem.out_columns > kTileColumns;
  t.outRows = several_rows ? problem.out_rows : 1;
  t.outColumns = several_rows ? problem.out_columns : problem.out_rows * problem.out_columns;
  int64_t tile_rows = 1, tile_columns = size.capacity;
  if (several_rows) {
    const int64_t tiles = CeilDiv(t.outColumns, kTileColumns);
    tile_columns = std::min(size.capacity, AlignUp(CeilDiv(t.outColumns, tiles), kColumnGranule));
    tile_rows = std::min(problem.out_rows, size.capacity / tile_columns);
  }
  t.tileRows = static_cast<uint32_t>(tile_rows);
  t.tileColumns = static_cast<uint32_t>(tile_columns);
  t.rowTiles = CeilDiv(t.outRows, tile_rows);
  t.columnTiles = CeilDiv(t.outColumns, tile_columns);
  t.capacity = static_cast<uint32_t>(size.capacity);
  t.boxElements = static_cast<uint32_t>(size.box);
  t.taps = static_cast<uint32_t>(problem.taps);
  t.interpolation = static_cast<uint32_t>(problem.interpolation);
  t.padding = static_cast<uint32_t>(problem.padding);
  t.alignCorners = problem.align_corners ? 1 : 0;
  const auto fill = [&](int64_t extent, float *scale, float *last, float *span) {
    const int64_t between = problem.align_corners ? extent - 1 : extent;
    *scale = static_cast<float>(static_cast<double>(between) / 2);
    *span = static_cast<float>(between);
    *last = LastPosition(extent);
  };
  fill(problem.height, &t.scaleY, &t.lastY, &t.spanY);
  fill(problem.width, &t.scaleX, &t.lastX, &t.spanX);
}

}  // namespace avo
