// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dBackward.
#include "op_host/max_pool2d_backward_args.h"

#include "op_host/pooling/window_gradient_tiling.h"

namespace avo::max_pool2d_backward {

Plan<MaxPool2dBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const PoolProblem pool(args.input, args.grad_output, args.kernel_size, args.stride, args.padding,
                         args.dilation);
  if (pool.planes == 0) return {};
  const GradientTile tile = GradientSearch(pool, true, platform).Find();
  const GradientLayout layout(pool, true, tile);
  auto plan = PlanGradient<MaxPool2dBackwardTiling>(pool, tile, layout, kWindows, platform);
  plan.tiling.tapRows = static_cast<uint32_t>(tile.tap_rows);
  plan.tiling.tapColumns = static_cast<uint32_t>(tile.tap_columns);
  plan.tiling.regionRows = static_cast<uint32_t>(layout.GroupedRows());
  plan.tiling.regionPitch = static_cast<uint32_t>(layout.RegionPitch());
  plan.tiling.rowGroups = static_cast<uint32_t>(layout.RowGroups());
  return plan;
}

}  // namespace avo::max_pool2d_backward
