// SPDX-License-Identifier: Apache-2.0
// Tiling of GridSamplerBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/grid_sampler_backward_args.h"

#include "op_host/grid/grid_tiling.h"

namespace avo::grid_sampler_backward {
namespace {

constexpr int64_t kLanes = 16;         // channels, or pixels, that are transposed together
constexpr int64_t kMostChannels = 64;  // of a band

// Bytes of UB that the gradient of the images takes.
uint64_t ScatterBytes(const GridProblem &problem, int64_t capacity, int64_t channels, int64_t pixels) {
  return BytesOf(GridScatterBuffers(problem.taps, capacity, channels, pixels, problem.item));
}

// Chooses groups of channels and bands of pixels. Bands are large, because a core goes through all samples
// for each band; but there is work for all cores. Returns the number of pairs of a band and a group.
int64_t FillBands(const GridProblem &problem, const Platform &platform, GridSamplerBackwardTiling *tiling) {
  constexpr int64_t kBatch = GridScatterBuffers::kBatch;
  GridSamplerBackwardTiling &t = *tiling;
  const uint64_t spare = GridSpareBytes(t.capacity);
  const uint64_t budget =
      std::max(platform.ub_bytes, ScatterBytes(problem, t.capacity, kLanes, kLanes) + spare);
  int64_t channels = std::min(kMostChannels, AlignUp(problem.channels, kLanes)), pixels = 0;
  for (;; channels -= kLanes) {
    t.channelGroups = CeilDiv(problem.channels, channels);
    const int64_t of_core = CeilDiv(problem.images * t.channelGroups * problem.height * problem.width,
                                    int64_t{platform.vector_cores});
    const int64_t wanted = std::max(kBatch, AlignUp(of_core, kLanes));
    pixels = kLanes * LargestFit(wanted / kLanes, budget, [&](int64_t n) {
               return ScatterBytes(problem, t.capacity, channels, n * kLanes) + spare;
             });
    if (pixels >= kBatch || channels == kLanes) break;
  }
  t.groupChannels = static_cast<uint32_t>(channels);
  t.bandColumns = std::min(problem.width, pixels);
  t.bandRows = std::min(problem.height, pixels / t.bandColumns);
  return problem.images * t.channelGroups * CeilDiv(problem.height, t.bandRows) *
         CeilDiv(problem.width, t.bandColumns);
}

}  // namespace

Plan<GridSamplerBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  constexpr int64_t kMostSamples = 256;  // of a tile
  const GridProblem problem(args.input, args.grid, args.interpolation_mode, args.padding_mode,
                            args.align_corners);
  Plan<GridSamplerBackwardTiling> plan;
  plan.tiling_key = kBoxes;
  GridSamplerBackwardTiling &t = plan.tiling;
  t.gradInput = args.output_mask[0] != 0 && args.grad_input.numel() > 0 ? 1 : 0;
  t.gradGrid = args.output_mask[1] != 0 && args.grad_grid.numel() > 0 ? 1 : 0;
  if (t.gradInput == 0 && t.gradGrid == 0) return plan;

  // Both gradients have the same tiles: those that fit beside the smallest band, whatever output_mask says.
  const auto gradient_bytes = [&](int64_t capacity, int64_t box) {
    return BytesOf(GridGradientBuffers(problem.taps, capacity, box, problem.item));
  };
  const auto bytes = [&](int64_t capacity, int64_t box) {
    return std::max(gradient_bytes(capacity, box), ScatterBytes(problem, capacity, kLanes, kLanes));
  };
  const int64_t samples = std::min(problem.out_rows * problem.out_columns, kMostSamples);
  const GridTileSize size = FindGridTile(problem, samples, platform, bytes);
  FillGrid(problem, size, true, &t);

  int64_t items = 0;
  if (t.gradInput != 0) {
    items = FillBands(problem, platform, &t);
    plan.ub_bytes = ScatterBytes(problem, t.capacity, t.groupChannels, t.bandRows * t.bandColumns);
  }
  if (t.gradGrid != 0) {
    items = std::max(items, problem.images * t.columnTiles);
    plan.ub_bytes = std::max(plan.ub_bytes, gradient_bytes(size.capacity, size.box));
  }
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, items));
  return plan;
}

}  // namespace avo::grid_sampler_backward
