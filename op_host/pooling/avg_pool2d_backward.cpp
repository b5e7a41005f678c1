// SPDX-License-Identifier: Apache-2.0
// Tiling of AvgPool2dBackward.
#include "op_host/avg_pool2d_backward_args.h"

#include "op_host/pooling/window_gradient_tiling.h"

namespace avo::avg_pool2d_backward {

Plan<AvgPool2dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const PoolProblem pool(args.input, args.grad_output, args.kernel_size, args.stride, args.padding, {1, 1});
  if (pool.planes == 0) return {};
  const GradientProblem problem{pool, false};
  auto plan = PlanGradient<AvgPool2dBackwardTiling>(problem, problem.Find(platform), kWindows, platform);
  const bool counted = args.divisor_override == 0;
  const double elements = static_cast<double>(args.kernel_size[0]) * static_cast<double>(args.kernel_size[1]);
  plan.tiling.borders = counted ? 1 : 0;
  plan.tiling.includePad = args.count_include_pad ? 1 : 0;
  plan.tiling.scale =
      static_cast<float>(1.0 / (counted ? elements : static_cast<double>(args.divisor_override)));
  return plan;
}

}  // namespace avo::avg_pool2d_backward
