// SPDX-License-Identifier: Apache-2.0
// Tiling of ArgMax.
#include "op_host/argmax_args.h"

#include "op_host/scan/argmax_tiling.h"

namespace avo::argmax {

Plan<ArgmaxTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const Shape &shape = args.self.shape;
  const int64_t rank = args.self.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  ArgmaxProblem problem(args.self.dtype, DTypeSize(args.out.dtype), platform);
  for (int64_t i = 0; i < rank; ++i) {
    (all || i == axis ? problem.length : i < axis ? problem.outer : problem.inner) *= shape[i];
  }
  Plan<ArgmaxTiling> plan;
  plan.tiling_key = problem.inner == 1 ? kLines : kColumns;
  ArgmaxTiling &tiling = plan.tiling;
  tiling.outer = problem.outer;
  tiling.length = problem.length;
  tiling.inner = problem.inner;
  tiling.last = args.select_last_index ? 1 : 0;
  if (problem.outer * problem.inner == 0) return plan;
  tiling.bypass = static_cast<uint64_t>(args.self.numel() * problem.item) > platform.l2_bytes / 2 ? 1 : 0;
  const ArgmaxTile tile = problem.inner == 1 ? FindLineTile(problem) : FindColumnTile(problem);
  if (tile.positions == 0) throw std::invalid_argument("the Unified Buffer does not hold one tile of ArgMax");
  if (tile.apart > 0) plan.tiling_key = kShortLines;
  tiling.apart = static_cast<uint32_t>(tile.apart);
  tiling.parts = tile.parts;
  tiling.partLength = problem.PartLength(tile.parts);
  tiling.outerTiles = CeilDiv(problem.outer * tile.parts, tile.slices);
  tiling.columnTiles = CeilDiv(problem.inner, tile.columns);
  tiling.tileOuter = static_cast<uint32_t>(tile.slices);
  tiling.tileColumns = static_cast<uint32_t>(tile.columns);
  tiling.tileLength = static_cast<uint32_t>(tile.positions);
  tiling.pitch = static_cast<uint32_t>(tile.apart > 0       ? problem.ShortLanes(tile.slices)
                                       : problem.inner == 1 ? problem.Pitch(tile.positions)
                                                            : problem.Lanes(tile.slices, tile.columns));
  tiling.partsAtOnce = static_cast<uint32_t>(problem.PartsAtOnce(tile.parts));
  plan.block_dim =
      static_cast<uint32_t>(std::min<int64_t>(tiling.outerTiles * tiling.columnTiles, platform.vector_cores));
  if (tile.parts > 1) plan.workspace = problem.outer * tile.parts * (problem.Limbs() + 1) * sizeof(float);
  return plan;
}

}  // namespace avo::argmax
