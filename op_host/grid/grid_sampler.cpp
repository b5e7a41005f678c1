// SPDX-License-Identifier: Apache-2.0
// Tiling of GridSampler.
#include "op_host/grid_sampler_args.h"

#include "op_host/grid/grid_tiling.h"

namespace avo::grid_sampler {

Plan<GridSamplerTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const GridProblem problem(args.input, args.grid, args.interpolation_mode, args.padding_mode,
                            args.align_corners);
  Plan<GridSamplerTiling> plan;
  plan.tiling_key = kBoxes;
  const int64_t samples = problem.out_rows * problem.out_columns;
  if (args.out.numel() == 0) return plan;

  const int64_t item = problem.item, block = 32 / item;
  // Rows of a tile: neighbours, their weights and scratch; tables; coordinates, gathered elements and
  // results.
  const int64_t pairs = problem.taps * problem.taps;
  const int64_t rows = 4 * problem.taps + 4 + 2 * pairs + 2;
  const int64_t row_bytes = 4 * rows + 2 * item + 2 * item + (item == 4 ? 0 : item + 8) + 1;
  const int64_t plane = problem.height * (AlignUp(problem.width, block) + block) + block;
  constexpr int64_t kBoxBytes = 72 * 1024;  // more serves no smooth grid
  const GridTileSize size = FindGridTile(samples, std::min(AlignUp(plane, block), kBoxBytes / item), item,
                                         row_bytes, platform.ub_bytes);
  FillGrid(problem, size, false, &plan.tiling);

  // Few groups, for a tile is located once in each; but work for all cores.
  GridSamplerTiling &t = plan.tiling;
  constexpr double kLocateChannels = 3;  // what locating a tile costs, in channels
  const int64_t tiles = t.images * t.rowTiles * t.columnTiles;
  double best = 0;
  for (int64_t groups = 1; groups <= std::min<int64_t>(problem.channels, platform.vector_cores); ++groups) {
    const int64_t each = CeilDiv(problem.channels, groups);
    const double share =
        static_cast<double>(CeilDiv<int64_t>(tiles * CeilDiv(problem.channels, each), platform.vector_cores));
    const double cost = share * (static_cast<double>(each) + kLocateChannels);
    if (groups > 1 && cost >= best) continue;
    best = cost;
    t.groupChannels = static_cast<uint32_t>(each);
    t.channelGroups = CeilDiv(problem.channels, each);
  }
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, tiles * t.channelGroups));
  return plan;
}

}  // namespace avo::grid_sampler
