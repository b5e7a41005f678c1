// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples, for some channels at a time, with channels as lanes. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/copies/channel_images-inl.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/grid/grid_neighbours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Adds the gradients of channels [first, last) of one image. `sample` is the number of its first sample in
// `neighbours`. The gradient of the image goes to `sums`: pixels of an image `width` wide, `sums_column`
// elements apart. What these channels add to the gradient of the grid goes to `to_grid`, as (y, x) for each
// sample. Reads and sums whole vectors.
template <typename T>
void AddGridGradients(const GridNeighbours<Compute<T>> &neighbours, int64_t sample, int64_t columns,
                      const ChannelImage<const T> &image, const ChannelImage<const T> &grads, int64_t first,
                      int64_t last, Compute<T> *sums, int64_t width, int64_t sums_column,
                      Compute<T> *to_grid) {
  const ComputeTag<T> d;
  using V = hn::Vec<ComputeTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(d), kVectors = kLongVectors<ComputeTag<T>>;
  for (int64_t position = 0; position < neighbours.samples; ++position, ++sample, to_grid += 2) {
    const T *grad = grads.data + position / columns * grads.row + position % columns * grads.column;
    const auto *begin = neighbours.all.get() + sample * neighbours.most,
               *end = begin + neighbours.count[sample];
    V by_y[kVectors], by_x[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) by_y[v] = by_x[v] = hn::Zero(d);
    const auto add = [&](int64_t c, V &along_y, V &along_x) HWY_ATTR {
      const auto up = LoadUpTo(d, grad + c, last - c);
      // Behind the last channel may lie the next pixel, which a weight of NaN must not reach.
      const auto inside = hn::FirstN(d, last - c);
      for (const auto *tap = begin; tap != end; ++tap) {
        const T *pixel = image.data + tap->row * image.row + tap->column * image.column;
        Compute<T> *sum = sums + (tap->row * width + tap->column) * sums_column + c;
        hn::StoreU(FusedMulAddWhere(inside, hn::Set(d, tap->weight), up, hn::LoadU(d, sum)), d, sum);
        const auto along = hn::Mul(up, LoadUpTo(d, pixel + c, last - c));
        along_y = FusedMulAdd(along, hn::Set(d, tap->by_y), along_y);
        along_x = FusedMulAdd(along, hn::Set(d, tap->by_x), along_x);
      }
    };
    for (int64_t c = first; c < last; c += kVectors * kLanes) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        if (c + v * kLanes < last) add(c + v * kLanes, by_y[v], by_x[v]);
      }
    }
    to_grid[0] = FoldLanes<Total>(d, FoldVectors<Total>(by_y));
    to_grid[1] = FoldLanes<Total>(d, FoldVectors<Total>(by_x));
  }
}

// The gradient of the image alone, for samples of one pixel each: pixels[i], or kOutside. It needs no image.
template <typename T>
void AddNearestGradients(const int64_t *pixels, int64_t samples, int64_t columns,
                         const ChannelImage<const T> &grads, int64_t first, int64_t last, Compute<T> *sums,
                         int64_t sums_column) {
  const ComputeTag<T> d;
  const T *row = grads.data, *grad = row;
  for (int64_t i = 0, column = 0; i < samples; ++i) {
    if (pixels[i] != kOutside) {
      Compute<T> *sum = sums + pixels[i] * sums_column;
      for (int64_t c = first; c < last; c += hn::Lanes(d)) {
        hn::StoreU(hn::Add(LoadUpTo(d, grad + c, last - c), hn::LoadU(d, sum + c)), d, sum + c);
      }
    }
    grad += grads.column;
    if (++column < columns) continue;
    column = 0;
    grad = row += grads.row;
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
