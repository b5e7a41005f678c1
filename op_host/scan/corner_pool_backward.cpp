// SPDX-License-Identifier: Apache-2.0
// Tiling of CornerPoolBackward.
#include "op_host/corner_pool_backward_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::corner_pool_backward {

Plan<CornerPoolBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const int64_t axis = args.mode < 2 ? 2 : 3, item = DTypeSize(args.input.dtype);
  ScanProblem problem(args.input.shape, axis, item, platform);
  problem.more_read = 2 * item;
  const auto buffers = [](const CornerPoolBackwardTiling &tiling, const ScanLayout &layout) {
    return CornerPoolBackwardBuffers(tiling, layout);
  };
  // The search counts a byte for each element in place of two masks of a bit. docs/performance.md has the
  // times of the tiles that it finds so; they are a few positions smaller than the largest ones that fit.
  const auto reserve = [&](const CornerPoolBackwardTiling &tiling, const ScanLayout &layout) {
    const CornerPoolBackwardBuffers list = buffers(tiling, layout);
    const uint64_t elements = CornerPoolBackwardBuffers::Compared(ScanTileSize(layout, tiling));
    return elements - 2 * WholeUnits(list.leads.bytes, 32);
  };
  auto plan = PlanScan<CornerPoolBackwardTiling>(problem, {kColumns, kRows}, buffers, reserve);
  plan.tiling.reverse = args.mode % 2 == 0 ? 1 : 0;
  return plan;
}

}  // namespace avo::corner_pool_backward
