// SPDX-License-Identifier: Apache-2.0
// Tiling of GridSamplerBackward.
#include "op_host/grid_sampler_backward_args.h"

#include "op_host/grid/grid_tiling.h"

namespace avo::grid_sampler_backward {
namespace {

constexpr int64_t kLanes = 16, kMostChannels = 64, kBatch = 64, kBlockBytes = 32;
constexpr int64_t kMostSamples = 256;

// Channels and pixels whose sums lie in UB, beside the buffers of op_kernel/grid/grid_scatter.h.
struct Bands {
  int64_t channels = 0;
  int64_t pixels = 0;
};

Bands FindBands(const GridProblem &problem, int64_t capacity, int64_t ub_bytes) {
  const int64_t item = problem.item, pairs = problem.taps * problem.taps;
  const int64_t rows = 4 * problem.taps + 4 + 3 * pairs + 3;
  const int64_t tiles = capacity * (4 * rows + 2 * item + (item == 4 ? 0 : 8) + 1);
  const int64_t fixed = tiles + 4 * kBlockBytes;
  Bands bands;
  for (bands.channels = std::min(kMostChannels, AlignUp(problem.channels, kLanes)); bands.channels > 0;
       bands.channels -= kLanes) {
    // Of a channel: planes twice, and rows, in place of which planes leave.
    const int64_t plane = kBatch * item + kBlockBytes;
    const int64_t batch = 2 * plane + std::max(plane, kBatch * 4) + (item == 4 ? 0 : kBatch * item);
    bands.pixels = AlignDown((ub_bytes - fixed - bands.channels * batch) / (bands.channels * 4) - 1, kLanes);
    if (bands.pixels >= kBatch || bands.channels == kLanes) break;
  }
  return bands;
}

}  // namespace

Plan<GridSamplerBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const GridProblem problem(args.input, args.grid, args.interpolation_mode, args.padding_mode,
                            args.align_corners);
  Plan<GridSamplerBackwardTiling> plan;
  plan.tiling_key = kBoxes;
  GridSamplerBackwardTiling &t = plan.tiling;
  const int64_t samples = problem.out_rows * problem.out_columns, pixels = problem.height * problem.width;
  t.gradInput = args.output_mask[0] != 0 && args.grad_input.numel() > 0 ? 1 : 0;
  t.gradGrid = args.output_mask[1] != 0 && args.grad_grid.numel() > 0 ? 1 : 0;
  if (t.gradInput == 0 && t.gradGrid == 0) return plan;

  const int64_t item = problem.item, block = kBlockBytes / item, pairs = problem.taps * problem.taps;
  const int64_t rows = 6 * problem.taps + 4 + 3 * pairs + 6;
  const int64_t row_bytes = 4 * rows + 2 * item + 2 * item + 2 * item + (item == 4 ? 0 : item + 16) + 1;
  const int64_t plane = problem.height * (AlignUp(problem.width, block) + block) + block;
  constexpr int64_t kBoxBytes = 72 * 1024;  // more serves no smooth grid
  const GridTileSize size =
      FindGridTile(std::max<int64_t>(1, std::min(samples, kMostSamples)),
                   std::min(AlignUp(plane, block), kBoxBytes / item), item, row_bytes, platform.ub_bytes);
  FillGrid(problem, size, true, &t);

  // Large bands, for every core goes through all samples for each; but work for all cores.
  const Bands bands = FindBands(problem, size.capacity, static_cast<int64_t>(platform.ub_bytes));
  int64_t items = 0;
  if (t.gradInput != 0) {
    t.groupChannels = static_cast<uint32_t>(bands.channels);
    t.channelGroups = CeilDiv(problem.channels, bands.channels);
    const int64_t share = CeilDiv(problem.images * t.channelGroups * pixels, int64_t{platform.vector_cores});
    const int64_t most = std::min(bands.pixels, std::max(kBatch, AlignUp(share, kLanes)));
    t.bandColumns = std::min(problem.width, most);
    t.bandRows = std::min(problem.height, most / t.bandColumns);
    items = problem.images * t.channelGroups * CeilDiv(problem.height, t.bandRows) *
            CeilDiv(problem.width, t.bandColumns);
  }
  if (t.gradGrid != 0) items = std::max(items, problem.images * t.columnTiles);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, items));
  return plan;
}

}  // namespace avo::grid_sampler_backward
