// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dWithIndicesBackward.
#include "op_host/max_pool2d_with_indices_backward_args.h"

#include "op_host/pooling/window_gradient_tiling.h"

namespace avo::max_pool2d_with_indices_backward {

Plan<MaxPool2dWithIndicesBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  PoolProblem pool(args.input, args.grad_output, args.kernel_size, args.stride, args.padding, args.dilation);
  if (pool.planes == 0) return {};
  pool.index = DTypeSize(args.indices.dtype);
  const GradientTile tile = GradientSearch(pool, Receives::kNamedMaximum, platform).Find();
  const GradientLayout layout(pool, Receives::kNamedMaximum, tile);
  return PlanGradient<MaxPool2dWithIndicesBackwardTiling>(pool, tile, layout, kWindows, platform);
}

}  // namespace avo::max_pool2d_with_indices_backward
