// SPDX-License-Identifier: Apache-2.0
// Tiling of ArgMax.
// Budget: 300 lines of code, because each layout of the kernel has a search and costs of its own.
#include "op_host/argmax_args.h"

#include "op_host/common/tiling/plan.h"
#include "op_host/scan/argmax_tiling.h"

namespace avo::argmax {

Plan<ArgmaxTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const Shape &shape = args.self.shape;
  const int64_t rank = args.self.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  ArgmaxProblem problem(args.self.dtype, DTypeSize(args.out.dtype), platform);
  for (int64_t i = 0; i < rank; ++i) {
    (all || i == axis ? problem.length : i < axis ? problem.outer : problem.inner) *= shape[i];
  }
  problem.last = args.select_last_index;
  Plan<ArgmaxTiling> plan;
  plan.tiling_key = problem.inner == 1 ? kLines : kColumns;
  plan.tiling.outer = problem.outer;
  plan.tiling.length = problem.length;
  plan.tiling.inner = problem.inner;
  plan.tiling.last = problem.last ? 1 : 0;
  if (problem.outer * problem.inner == 0) return plan;
  problem.CheckIndices();
  const ArgmaxCut cut = ArgmaxSearch(problem).Find();
  if (cut.layout == ArgmaxCut::Layout::kShortLines) plan.tiling_key = kShortLines;
  if (cut.layout == ArgmaxCut::Layout::kHalfColumns) plan.tiling_key = kHalfColumns;
  plan.tiling = cut.Tiling(problem);
  plan.tiling.bypass =
      static_cast<uint64_t>(args.self.numel() * problem.item) > platform.l2_bytes / 2 ? 1 : 0;
  plan.ub_bytes = cut.Bytes(problem);
  const bool columns = cut.IsColumns();
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(
      plan.tiling.outerTiles * plan.tiling.columnTiles * (columns ? cut.parts : 1), platform.vector_cores));
  if (cut.parts > 1) {
    const uint64_t parts = static_cast<uint64_t>(problem.outer * problem.inner * cut.parts);
    plan.workspace =
        parts * ((columns ? problem.format.Planes() : problem.format.Limbs()) + 1) * sizeof(float);
  }
  return plan;
}

}  // namespace avo::argmax
