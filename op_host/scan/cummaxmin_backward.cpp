// SPDX-License-Identifier: Apache-2.0
// Tiling of CummaxminBackward.
#include "op_host/cummaxmin_backward_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::cummaxmin_backward {

Plan<CummaxminBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const Tensor &grad = args.grad_values;
  const int64_t axis = WrapDimension(args.dim, std::max<int64_t>(grad.rank(), 1));
  const int64_t index_item = DTypeSize(args.indices.dtype);
  ScanProblem problem(grad.shape, axis, DTypeSize(grad.dtype), platform);
  problem.more_read = index_item;
  return PlanScan<CummaxminBackwardTiling>(
      problem, {kColumns, kRows}, [=](const CummaxminBackwardTiling &tiling, const ScanLayout &layout) {
        return CummaxminBackwardBuffers(tiling, layout, static_cast<uint64_t>(index_item));
      });
}

}  // namespace avo::cummaxmin_backward
