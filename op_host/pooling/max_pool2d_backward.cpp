// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dBackward.
#include "op_host/max_pool2d_backward_args.h"

#include "op_host/pooling/window_gradient_tiling.h"

namespace avo::max_pool2d_backward {

Plan<MaxPool2dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const PoolProblem pool(args.input, args.grad_output, args.kernel_size, args.stride, args.padding,
                         args.dilation);
  if (pool.planes == 0) return {};
  const GradientProblem problem{pool, true};
  const GradientTile tile = problem.Find(platform);
  auto plan = PlanGradient<MaxPool2dBackwardTiling>(problem, tile, kWindows, platform);
  plan.tiling.tapRows = static_cast<uint32_t>(tile.tap_rows);
  plan.tiling.tapColumns = static_cast<uint32_t>(tile.tap_columns);
  plan.tiling.regionRows = static_cast<uint32_t>(problem.RegionRows(tile));
  plan.tiling.regionPitch = static_cast<uint32_t>(problem.RegionPitch(tile));
  return plan;
}

}  // namespace avo::max_pool2d_backward
