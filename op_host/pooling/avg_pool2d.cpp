// SPDX-License-Identifier: Apache-2.0
// Tiling of AvgPool2d.
#include "op_host/avg_pool2d_args.h"

#include "op_host/pooling/pool_planes_tiling.h"

namespace avo::avg_pool2d {

Plan<AvgPool2dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  PoolProblem problem(args.input, args.out, args.kernel_size, args.stride, args.padding, {1, 1});
  problem.means = true;
  auto plan = PlanPool<AvgPool2dTiling>(problem, kWindows, kPlanes, platform);
  const bool counted = args.divisor_override == 0;
  const double elements = static_cast<double>(args.kernel_size[0]) * static_cast<double>(args.kernel_size[1]);
  plan.tiling.borders = counted ? 1 : 0;
  plan.tiling.includePad = args.count_include_pad ? 1 : 0;
  plan.tiling.scale =
      static_cast<float>(1.0 / (counted ? elements : static_cast<double>(args.divisor_override)));
  return plan;
}

}  // namespace avo::avg_pool2d
