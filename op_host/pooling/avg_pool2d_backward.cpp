// SPDX-License-Identifier: Apache-2.0
// Tiling of AvgPool2dBackward.
#include "op_host/avg_pool2d_backward_args.h"

#include "op_host/pooling/window_gradient_tiling.h"

namespace avo::avg_pool2d_backward {

Plan<AvgPool2dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const PoolProblem pool(args.input, args.grad_output, args.kernel_size, args.stride, args.padding, {1, 1});
  if (pool.planes == 0) return {};
  const GradientTile tile = GradientSearch(pool, Receives::kAll, platform).Find();
  const GradientLayout layout(pool, Receives::kAll, tile);
  auto plan = PlanGradient<AvgPool2dBackwardTiling>(pool, tile, layout, kWindows, platform);
  StateMeans(args.kernel_size, args.count_include_pad, args.divisor_override, &plan.tiling);
  return plan;
}

}  // namespace avo::avg_pool2d_backward
