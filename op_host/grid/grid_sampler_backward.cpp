// SPDX-License-Identifier: Apache-2.0
// Tiling of GridSamplerBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/grid_sampler_backward_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/common/tiling/pixel_bands.h"
#include "op_host/grid/grid_tiling.h"

namespace avo::grid_sampler_backward {
namespace {

constexpr int64_t kLine = 512;  // bytes of GM to which regions of the workspace are aligned

// Whether the gradient of the grid reads windows of channels: each takes a copy, which pays off with this
// many channels. A window is numbered in 32 bits.
bool ReadsWindows(const GridProblem &problem) {
  constexpr int64_t kManyChannels = 32, kMostPixels = int64_t{1} << 31;
  return problem.interpolation == 0 && problem.channels >= kManyChannels &&
         (problem.height + 3) * (problem.width + 1) < kMostPixels;
}

uint64_t TermsBytes(const GridProblem &problem, int64_t capacity) {
  return BytesOf(GridTermsBuffers(problem.taps, capacity, problem.item));
}

// Chooses the tiles of samples for boxes of planes.
GridTileSize FindBoxTile(const GridProblem &problem, int64_t samples, const Platform &platform) {
  constexpr int64_t kMostSamples = 256;
  return FindGridTile(problem, std::min(samples, kMostSamples), platform, [&](int64_t capacity, int64_t box) {
    return std::max(BytesOf(GridGradientBuffers(problem.taps, capacity, box, problem.item)),
                    TermsBytes(problem, capacity));
  });
}

// Chooses the tiles of samples for windows of channels, and how many of these are loaded at once.
GridTileSize FindWindowTile(const GridProblem &problem, int64_t samples, const Platform &platform,
                            GridSamplerBackwardTiling *t) {
  constexpr int64_t kRepeat = 64, kFewSamples = 256, kMostSamples = 512;
  constexpr int64_t kMostChannels = 128, kLeastChannels = 16, kMostBatch = 32, kLeastBatch = 8;
  int64_t chunk = std::min(AlignUp(problem.channels, kLeastChannels), kMostChannels), batch = kMostBatch;
  const auto bytes = [&](int64_t capacity) {
    return std::max(BytesOf(GridWindowBuffers(capacity, batch, chunk, problem.item)),
                    TermsBytes(problem, capacity));
  };
  const int64_t most = AlignUp(std::min(samples, kMostSamples), kRepeat), few = std::min(most, kFewSamples);
  while (batch > kLeastBatch && bytes(few) > platform.ub_bytes) batch /= 2;
  while (chunk > kLeastChannels && bytes(few) > platform.ub_bytes) chunk = AlignUp(chunk / 2, kLeastChannels);
  const int64_t repeats =
      LargestFit(most / kRepeat, platform.ub_bytes, [&](int64_t n) { return bytes(n * kRepeat); });
  if (repeats == 0) ThrowUbTooSmall(platform, bytes(kRepeat));
  t->windows = 1;
  t->batch = static_cast<uint32_t>(batch), t->chunk = static_cast<uint32_t>(chunk);
  return {repeats * kRepeat, 0};
}

// Makes tiles smaller where the busiest core has no more of them for it.
void SpreadTiles(const Platform &platform, GridSamplerBackwardTiling *t) {
  if (t->columnTiles == 0) return;
  const int64_t rounds = CeilDiv<int64_t>(t->images * t->columnTiles, platform.vector_cores);
  const int64_t tiles = std::max(t->columnTiles, rounds * platform.vector_cores / t->images);
  t->tileColumns = static_cast<uint32_t>(CeilDiv(t->outColumns, tiles));
  t->columnTiles = CeilDiv<int64_t>(t->outColumns, t->tileColumns);
}

// Plans the regions of the workspace, and what the kernel does before and after the gradient of the grid.
// Returns the bytes of the Unified Buffer that this takes.
uint64_t PlanRegions(const GridProblem &problem, const Shape &images, const Platform &platform,
                     Plan<GridSamplerBackwardTiling> *plan) {
  GridSamplerBackwardTiling &t = plan->tiling;
  uint64_t bytes = 0;
  const auto place = [&](int64_t *at, uint64_t region) {
    *at = static_cast<int64_t>(plan->workspace);
    plan->workspace += AlignUp<uint64_t>(region, kLine);
  };
  t.bands.rows = problem.out_rows * problem.out_columns;
  if (t.bands.rows > 0) {
    const Shape grads{problem.images, problem.channels, problem.out_rows, problem.out_columns};
    int64_t start = 0;
    place(&start, PlanChannelsLast(grads, problem.item, 1, platform, &t.grads));
    bytes = ChannelsLastBytes(t.grads, problem.item);
  }
  if (t.windows != 0) {
    place(&t.inputs, PlanChannelsLast(images, problem.item, 2, platform, &t.input));
    bytes = std::max(bytes, ChannelsLastBytes(t.input, problem.item));
  }
  if (t.gradInput != 0) {
    t.bands.tapBits = problem.taps == 4 ? 4 : problem.taps == 2 ? 2 : 0;
    t.bands.located = t.capacity;
    bytes = std::max(bytes, PlanPixelBands(images, problem.item, problem.item, platform, &t.bands));
    bytes = std::max(bytes, TermsBytes(problem, t.capacity));
    place(&t.terms, PixelTermBytes(t.bands));
  }
  return bytes;
}

}  // namespace

Plan<GridSamplerBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const GridProblem problem(args.input, args.grid, args.interpolation_mode, args.padding_mode,
                            args.align_corners);
  Plan<GridSamplerBackwardTiling> plan;
  plan.tiling_key = kBoxes;
  GridSamplerBackwardTiling &t = plan.tiling;
  t.gradInput = args.output_mask[0] != 0 && args.grad_input.numel() > 0 ? 1 : 0;
  t.gradGrid = args.output_mask[1] != 0 && args.grad_grid.numel() > 0 ? 1 : 0;
  if (t.gradInput == 0 && t.gradGrid == 0) return plan;

  const int64_t samples = problem.out_rows * problem.out_columns;
  const bool windows = t.gradGrid != 0 && ReadsWindows(problem);
  const GridTileSize size =
      windows ? FindWindowTile(problem, samples, platform, &t) : FindBoxTile(problem, samples, platform);
  FillGrid(problem, size, true, &t);
  SpreadTiles(platform, &t);
  if (windows) {
    plan.ub_bytes = BytesOf(GridWindowBuffers(t.capacity, t.batch, t.chunk, problem.item));
  } else if (t.gradGrid != 0) {
    plan.ub_bytes = BytesOf(GridGradientBuffers(problem.taps, size.capacity, size.box, problem.item));
  }
  int64_t items = problem.images * t.columnTiles;
  if (windows || t.gradInput != 0) {
    plan.ub_bytes = std::max(plan.ub_bytes, PlanRegions(problem, args.input.shape, platform, &plan));
    items = std::max(items, problem.images * t.bands.channelGroups * t.bands.bands);
  }
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, items));
  return plan;
}

}  // namespace avo::grid_sampler_backward
