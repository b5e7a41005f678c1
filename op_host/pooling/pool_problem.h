// SPDX-License-Identifier: Apache-2.0
// The call that the tilings of pooling and of its gradients plan: planes of an image and windows along both
// axes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

namespace avo {

// The windows along one axis. `in` elements of the image, `out` windows.
struct PoolAxis {
  int64_t in, out, kernel, stride, padding, dilation;

  // Elements from the first to the last one that `count` neighbouring windows read, of which `taps` taps
  // count:
  //
  //   stride 2, dilation 1     window 0   ^ ^ ^
  //                            window 1       ^ ^ ^      Span(2, 3) = 5
  int64_t Span(int64_t count, int64_t taps) const { return (count - 1) * stride + (taps - 1) * dilation + 1; }
  // How many of them lie inside the image, at most.
  int64_t Inside(int64_t count, int64_t taps) const { return std::min(in, Span(count, taps)); }
};

struct PoolProblem {
  PoolProblem(const Tensor &input, const Tensor &out, const Shape &kernel, const Shape &stride,
              const Shape &padding, const Shape &dilation)
      : planes(input.shape[0] * input.shape[1]),
        item(DTypeSize(input.dtype)),
        rows{input.shape[2], out.shape[2], kernel[0], stride[0], padding[0], dilation[0]},
        columns{input.shape[3], out.shape[3], kernel[1], stride[1], padding[1], dilation[1]} {}

  // Writes the call itself to a tiling struct.
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

  int64_t planes;  // N * C
  int64_t item;    // bytes of an element of the image
  PoolAxis rows, columns;
  int64_t element = 4;  // bytes of the type that windows are combined in
  int64_t index = 0;    // bytes of the index of a maximum; 0 where there are none
  bool means = false;
};

// The extents of a tile.
struct PoolTileExtents {
  int64_t planes, rows, columns;
};

// Writes to a tiling struct into how many tiles the planes of its call, of rows x columns elements each, are
// cut. Returns how many of `cores` cores have one.
template <typename Tiling>
uint32_t StateTiles(int64_t rows, int64_t columns, const PoolTileExtents &tile, int64_t cores, Tiling *t) {
  t->planeGroups = CeilDiv(t->planes, tile.planes);
  t->rowTiles = CeilDiv(rows, tile.rows);
  t->columnTiles = CeilDiv(columns, tile.columns);
  return static_cast<uint32_t>(std::min(cores, t->planeGroups * t->rowTiles * t->columnTiles));
}

// The factors of the mean of windows: 1 over the elements of a window, unless `divisor_override` replaces
// them.
template <typename Tiling>
void StateMeans(const Shape &kernel, bool include_pad, int64_t divisor_override, Tiling *t) {
  const bool counted = divisor_override == 0;
  const double elements = static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]);
  t->borders = counted ? 1 : 0;
  t->includePad = include_pad ? 1 : 0;
  t->scale = static_cast<float>(1.0 / (counted ? elements : static_cast<double>(divisor_override)));
}

}  // namespace avo
