// SPDX-License-Identifier: Apache-2.0
// Tiling of Cummin.
#include "op_host/cummin_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::cummin {

Plan<CumminTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t axis = args.dim < 0 ? args.dim + std::max<int64_t>(args.input.rank(), 1) : args.dim;
  const ScanProblem problem(args.input.shape, axis, DTypeSize(args.input.dtype),
                            DTypeSize(args.indices.dtype), platform);
  auto plan = PlanRunningScan<CumminTiling>(problem, {kColumns, kRows});
  plan.tiling.indexPitch = static_cast<uint32_t>(ScanProblem::Pitch(plan.tiling.tileLength, sizeof(int32_t)));
  return plan;
}

}  // namespace avo::cummin
