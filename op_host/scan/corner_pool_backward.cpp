// SPDX-License-Identifier: Apache-2.0
// Tiling of CornerPoolBackward.
#include "op_host/corner_pool_backward_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::corner_pool_backward {

Plan<CornerPoolBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t axis = args.mode < 2 ? 2 : 3, item = DTypeSize(args.input.dtype);
  ScanProblem problem(args.input.shape, axis, item, platform);
  problem.more_read = 2 * item;
  auto plan = PlanScan<CornerPoolBackwardTiling>(
      problem, {kColumns, kRows}, [](const CornerPoolBackwardTiling &tiling, const ScanLayout &layout) {
        return CornerPoolBackwardBuffers(tiling, layout);
      });
  plan.tiling.reverse = args.mode % 2 == 0 ? 1 : 0;
  return plan;
}

}  // namespace avo::corner_pool_backward
