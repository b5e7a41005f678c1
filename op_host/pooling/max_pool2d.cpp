// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2d.
#include "op_host/max_pool2d_args.h"

#include "op_host/pooling/pool_planes_tiling.h"

namespace avo::max_pool2d {

Plan<MaxPool2dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  PoolProblem problem(args.input, args.out, args.kernel_size, args.stride, args.padding, args.dilation);
  if (args.input.dtype == DType::kFloat16) problem.element = problem.item;
  return PlanPool<MaxPool2dTiling>(problem, kWindows, kPlanes, platform);
}

}  // namespace avo::max_pool2d
