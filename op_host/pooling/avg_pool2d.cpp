// SPDX-License-Identifier: Apache-2.0
// Tiling of AvgPool2d.
#include "op_host/avg_pool2d_args.h"

#include "op_host/pooling/pool_planes_tiling.h"

namespace avo::avg_pool2d {

Plan<AvgPool2dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  PoolProblem problem(args.input, args.out, args.kernel_size, args.stride, args.padding, {1, 1});
  problem.means = true;
  auto plan = PlanPool<AvgPool2dTiling>(problem, kWindows, kPlanes, platform);
  StateMeans(args.kernel_size, args.count_include_pad, args.divisor_override, &plan.tiling);
  return plan;
}

}  // namespace avo::avg_pool2d
