// SPDX-License-Identifier: Apache-2.0
// What the tilings of grid samples share: tiles of samples, and boxes of the image that they read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

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

  // Samples of a tile in a row of the grid: whole transfers where rows have them, else the grid is one row.
  static constexpr int64_t kTileColumns = 128, kColumnGranule = 16;

  int64_t images, channels, height, width, out_rows, out_columns, item;
  int64_t interpolation, padding;
  bool align_corners;
  int64_t taps;
};

// Samples that rows in UB hold, and elements of a box.
struct GridTileSize {
  int64_t capacity = 0;
  int64_t box = 0;
};

// The largest tile that leaves boxes of `wanted` elements, or else shares UB with them evenly. row_bytes: of
// all rows a sample.
inline GridTileSize FindGridTile(int64_t samples, int64_t wanted, int64_t item, int64_t row_bytes,
                                 uint64_t ub_bytes) {
  constexpr int64_t kRepeat = 64, kMostSamples = 2048, kBlockBytes = 32, kLeastSamples = 256;
  constexpr int64_t kSlack = 4 * kBlockBytes;  // what buffers of bits and boxes are rounded up by
  const int64_t ub = static_cast<int64_t>(ub_bytes) - kSlack,
                most = AlignUp(std::min(samples, kMostSamples), kRepeat);
  const auto box_of = [&](int64_t capacity) {
    return AlignDown((ub - capacity * row_bytes) / 2, kBlockBytes) / item;
  };
  const auto fits = [&](int64_t least_box) {
    const int64_t capacity = AlignDown((ub - 2 * least_box * item - 2 * kBlockBytes) / row_bytes, kRepeat);
    return std::min(most, std::max<int64_t>(capacity, 0));
  };
  int64_t capacity = fits(wanted);
  if (capacity < std::min(most, kLeastSamples)) capacity = std::max(kRepeat, fits(ub / (4 * item)));
  return {capacity, std::min(box_of(capacity), wanted)};
}

// `one_row`: tiles are of samples that follow each other, whatever row they are in.
template <typename Tiling>
void FillGrid(const GridProblem &problem, const GridTileSize &size, bool one_row, Tiling *tiling) {
  Tiling &t = *tiling;
  t.images = problem.images, t.channels = problem.channels;
  t.height = problem.height, t.width = problem.width;
  const bool columns = !one_row && problem.out_columns % GridProblem::kColumnGranule == 0 &&
                       problem.out_columns > GridProblem::kTileColumns;
  t.outRows = columns ? problem.out_rows : 1;
  t.outColumns = columns ? problem.out_columns : problem.out_rows * problem.out_columns;
  const int64_t tile_columns =
      columns ? std::min(size.capacity,
                         AlignUp(CeilDiv(t.outColumns, CeilDiv(t.outColumns, GridProblem::kTileColumns)),
                                 GridProblem::kColumnGranule))
              : size.capacity;
  const int64_t tile_rows = columns ? std::min(problem.out_rows, size.capacity / tile_columns) : 1;
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
    *last = static_cast<float>(extent - 1);
    if (static_cast<int64_t>(*last) > extent - 1) *last = std::nextafter(*last, 0.0f);
  };
  fill(problem.height, &t.scaleY, &t.lastY, &t.spanY);
  fill(problem.width, &t.scaleX, &t.lastX, &t.spanX);
}

}  // namespace avo
