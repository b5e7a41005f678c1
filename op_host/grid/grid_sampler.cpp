// SPDX-License-Identifier: Apache-2.0
// Tiling of GridSampler.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/grid_sampler_args.h"

#include "op_host/grid/grid_tiling.h"

namespace avo::grid_sampler {

Plan<GridSamplerTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const GridProblem problem(args.input, args.grid, args.interpolation_mode, args.padding_mode,
                            args.align_corners);
  Plan<GridSamplerTiling> plan;
  plan.tiling_key = kBoxes;
  if (args.out.numel() == 0) return plan;

  const auto bytes = [&](int64_t capacity, int64_t box) {
    return BytesOf(GridSamplerBuffers(problem.taps, capacity, box, problem.item));
  };
  const GridTileSize size = FindGridTile(problem, problem.out_rows * problem.out_columns, platform, bytes);
  FillGrid(problem, size, false, &plan.tiling);
  plan.ub_bytes = bytes(size.capacity, size.box);

  // Few groups of channels, because the neighbours of a tile are found anew for each group; but enough for
  // all cores. The cost of a core is in channels.
  GridSamplerTiling &t = plan.tiling;
  constexpr double kLocateChannels = 3;  // finding the neighbours of a tile takes as long as three channels
  const int64_t tiles = t.images * t.rowTiles * t.columnTiles;
  double best = 0;
  for (int64_t groups = 1; groups <= std::min<int64_t>(problem.channels, platform.vector_cores); ++groups) {
    const int64_t each = CeilDiv(problem.channels, groups);
    const double core_tiles =
        static_cast<double>(CeilDiv<int64_t>(tiles * CeilDiv(problem.channels, each), platform.vector_cores));
    const double cost = core_tiles * (static_cast<double>(each) + kLocateChannels);
    if (groups > 1 && cost >= best) continue;
    best = cost;
    t.groupChannels = each;
    t.channelGroups = CeilDiv(problem.channels, each);
  }
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, tiles * t.channelGroups));
  return plan;
}

}  // namespace avo::grid_sampler
