// SPDX-License-Identifier: Apache-2.0
// Tiling of CummaxminBackward.
#include "op_host/cummaxmin_backward_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::cummaxmin_backward {

Plan<CummaxminBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const Shape &shape = args.grad_values.shape;
  const int64_t axis = WrapDimension(args.dim, std::max<int64_t>(args.grad_values.rank(), 1));
  ScanProblem problem(shape, axis, DTypeSize(args.grad_values.dtype), 0, platform);
  const int64_t index = DTypeSize(args.indices.dtype);
  problem.more_copied = 2 * index + (index == 8 ? 4 : 0);
  problem.more_computed = 4 + 4;  // masks and places
  problem.more_read = index;
  return PlanScan<CummaxminBackwardTiling>(problem, {kColumns, kRows});
}

}  // namespace avo::cummaxmin_backward
