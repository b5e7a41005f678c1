// SPDX-License-Identifier: Apache-2.0
// Tiling of CornerPool.
#include "op_host/corner_pool_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::corner_pool {

// Nothing is left to kTakenBySelect: scans of these dtypes, without indices, call no Select.
Plan<CornerPoolTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t axis = args.mode < 2 ? 2 : 3;
  const ScanProblem problem(args.input.shape, axis, DTypeSize(args.input.dtype), platform);
  auto plan = PlanRunningScan(problem, {kColumns, kRows});
  plan.tiling.reverse = args.mode % 2 == 0 ? 1 : 0;
  return plan;
}

}  // namespace avo::corner_pool
