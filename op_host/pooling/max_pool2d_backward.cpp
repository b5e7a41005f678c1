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
  const GradientTile tile = GradientSearch(pool, Receives::kFoundMaximum, platform).Find();
  const GradientLayout layout(pool, Receives::kFoundMaximum, tile);
  auto plan = PlanGradient<MaxPool2dBackwardTiling>(pool, tile, layout, kWindows, platform);
  layout.Chunk().State(&plan.tiling);
  return plan;
}

}  // namespace avo::max_pool2d_backward
