// SPDX-License-Identifier: Apache-2.0
// Tiling of CornerPoolBackward.
#include "op_host/corner_pool_backward_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::corner_pool_backward {

Plan<CornerPoolBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t axis = args.mode < 2 ? 2 : 3, item = DTypeSize(args.input.dtype);
  ScanProblem problem(args.input.shape, axis, item, 0, platform);
  problem.more_copied = 2 * item + 4 + (item == 4 ? 0 : 4) + 1;  // both tensors, as float32, and their bits
  problem.more_computed = 4;                                     // masks
  problem.more_read = 2 * item;
  auto plan = PlanScan<CornerPoolBackwardTiling>(problem, {kColumns, kRows});
  plan.tiling.reverse = args.mode % 2 == 0 ? 1 : 0;
  return plan;
}

}  // namespace avo::corner_pool_backward
