// SPDX-License-Identifier: Apache-2.0
// Budget: 1100 lines of code, because few channels have a way of their own, which takes .5 x the time of
// channels as lanes, most of which would be idle.
#include "op_host/grid_sampler_backward_args.h"

#include <algorithm>
#include <vector>

#include "op_cpu/common/vectors/simd.h"
#include "op_host/common/tiling/math.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/grid/grid_sampler_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/grid/grid_gradients-inl.h"
#include "op_cpu/grid/grid_plane_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::grid_sampler_backward::HWY_NAMESPACE {
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kGroup = 64;        // channels that a thread adds up at a time
constexpr int64_t kGroupsAtOnce = 8;  // groups of channels in memory at once: work for as many threads
// Channels times neighbours along an axis: up to so many, samples are faster in planes; up to kFewestReads
// also where very many of them share a pixel.
constexpr int64_t kFewReads = 6, kFewestReads = 4;
constexpr int64_t kMostPixels = 1 << 30;  // so many pixels have no numbers of 32 bits

// Stores the gradients of the coordinates of a sample.
template <typename T>
HWY_INLINE void SetGrid(const Args &args, int64_t n, int64_t row, int64_t column, Compute<T> by_y,
                        Compute<T> by_x) {
  const Shape &s = args.grad_grid.strides;
  T *to = static_cast<T *>(args.grad_grid.data) + n * s[0] + row * s[1] + column * s[2];
  to[0] = Narrow<T>(by_x);
  to[s[3]] = Narrow<T>(by_y);
}

// Sets the gradients of the coordinates of all samples of image n to 0, as they are in mode nearest: a small
// change of a coordinate does not change the nearest pixel.
template <typename T>
void ZeroGrid(const Args &args, int64_t n) {
  const Shape &s = args.grad_grid.strides;
  const int64_t rows = args.grid.shape[1], columns = args.grid.shape[2];
  T *to = static_cast<T *>(args.grad_grid.data) + n * s[0];
  if (s[3] == 1 && s[2] == 2) return ZeroPlane(to, rows, 2 * columns, s[1], 1);
  ZeroPlane(to, rows, columns, s[1], s[2]);
  ZeroPlane(to + s[3], rows, columns, s[1], s[2]);
}

// A call by GridGradients, some images at a time. A thread owns a group of channels of an image, so that
// every sum has the order of the samples.
template <typename T>
void RunGroups(const Args &args, const ParallelFor &parallel_for) {
  using Value = Compute<T>;
  const GridRules rules = RulesOf(args);
  const bool nearest = rules.interpolation == Interpolation::kNearest;
  const int64_t channels = args.input.shape[1], images = args.input.shape[0], columns = args.grid.shape[2];
  const int64_t samples = args.grid.shape[1] * columns,
                groups = std::max<int64_t>(1, CeilDiv(channels, kGroup));
  const bool parts = groups > 1 && !nearest;  // of a gradient of the grid come from several groups
  const int64_t most = parts ? std::min(images, CeilDiv(kGroupsAtOnce, groups)) : images;
  std::vector<Value> of_groups(parts ? most * groups * samples * 2 : 0);  // (image, group, sample, y and x)
  const int64_t work = std::min(channels, kGroup) * (samples + args.input.shape[2] * args.input.shape[3]);
  for (int64_t begin = 0; begin < images; begin += most) {
    const int64_t count = std::min(most, images - begin);
    parallel_for(count * groups, GrainOf(work), [&](int64_t first, int64_t last) {
      GridGradients<T, Args> gradients(args, rules, std::min(channels, kGroup));
      for (int64_t item = first; item < last; ++item) {
        const int64_t n = begin + item / groups, channel = item % groups * kGroup;
        Value *part = of_groups.data() + item * samples * 2;
        if (nearest && channel == 0) ZeroGrid<T>(args, n);
        gradients.AddGroup(n, channel, std::min(kGroup, channels - channel),
                           [&](int64_t row, int64_t column, Value by_y, Value by_x) HWY_ATTR {
                             if (!parts) return SetGrid<T>(args, n, row, column, by_y, by_x);
                             part[(row * columns + column) * 2] = by_y;
                             part[(row * columns + column) * 2 + 1] = by_x;
                           });
      }
    });
    if (!parts) continue;
    for (int64_t i = 0; i < count * samples; ++i) {
      const int64_t n = begin + i / samples, sample = i % samples;
      Value by_y = 0, by_x = 0;
      for (int64_t group = 0; group < groups; ++group) {
        const Value *from = &of_groups[((i / samples * groups + group) * samples + sample) * 2];
        by_y += from[0];
        by_x += from[1];
      }
      SetGrid<T>(args, n, sample / columns, sample % columns, by_y, by_x);
    }
  }
}

// A call by GridPlaneGradients. A thread owns an image, or some of its planes and then tiles of samples of
// the grid.
template <typename T>
void RunPlanes(const Args &args, const ParallelFor &parallel_for) {
  using Planes = GridPlaneGradients<T, Args>;
  const GridRules rules = RulesOf(args);
  const int64_t images = args.input.shape[0], channels = args.input.shape[1], most = Planes::PlanesOf(args);
  const int64_t groups = CeilDiv(channels, most), pixels = args.input.shape[2] * args.input.shape[3];
  const bool nearest = rules.interpolation == Interpolation::kNearest, whole = groups == 1;
  parallel_for(images * groups, GrainOf(most * pixels), [&](int64_t begin, int64_t end) {
    Planes planes(args, rules, whole && !nearest);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % groups * most;
      planes.Images(item / groups, first, std::min(most, channels - first));
    }
  });
  if (nearest) {
    parallel_for(images, GrainOf(args.grid.shape[1] * args.grid.shape[2]), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) ZeroGrid<T>(args, n);
    });
    return;
  }
  if (whole) return;
  const GradientTiles tiles(args.grid);
  const int64_t count = tiles.count();
  if (count == 0) return;
  parallel_for(images * count, GrainOf(channels * args.grid.shape[1] * args.grid.shape[2] / count),
               [&](int64_t begin, int64_t end) {
                 Planes planes(args, rules, true);
                 for (int64_t i = begin; i < end; ++i) planes.Grid(tiles(i / count, i % count));
               });
}

// Whether a call is faster one channel after the other. With channels as lanes, time goes with the pixels,
// which are copied, as well as with the neighbours of the samples; both ways take about as long where there
// is half an element of a copy for each neighbour of a channel. Few channels leave most lanes idle: on Zen 4,
// one channel of bilinear samples takes .5 x the time in its plane, nearest samples of four .6 x. Where very
// many samples share a pixel, sums of several channels wait for each other less often as lanes.
template <typename T>
bool ByPlanes(const Args &args) {
  const int64_t channels = args.input.shape[1], pixels = args.input.shape[2] * args.input.shape[3];
  const int64_t samples = args.grid.shape[1] * args.grid.shape[2];
  const int64_t side = NeighboursOf(RulesOf(args).interpolation);
  const int64_t copied = pixels * GradientPitch<Compute<T>>(channels);
  const int64_t reads = channels * side;
  return (reads <= kFewReads && (reads <= kFewestReads || 8 * pixels >= samples)) || pixels >= kMostPixels ||
         2 * copied > samples * channels * side * side;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    WithPairs<T>(args, parallel_for, [&](const Args &given) {
      ByPlanes<T>(given) ? RunPlanes<T>(given, parallel_for) : RunGroups<T>(given, parallel_for);
    });
  });
}

}  // namespace avo::grid_sampler_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::grid_sampler_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::grid_sampler_backward
#endif
