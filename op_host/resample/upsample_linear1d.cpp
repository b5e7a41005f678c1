// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1d.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/upsample_linear1d_args.h"

#include "op_host/resample/linear_tiling.h"

namespace avo::upsample_linear1d {
namespace {

// How tiles of the forward direction lie in UB, for PlanLinear.
struct Paths {
  const LinearProblem &problem;
  int64_t length, periods;

  // Inputs of `units` periods, one input before them and one after them. The transposition to lanes rounds up
  // to data blocks, and there is room for one more slot: beyond the end of the signal its last sample is
  // repeated.
  RowLayout Phases(int64_t units) const {
    constexpr int64_t kMaxSkew =
        7;  // slots by which a plane of sums is shifted (op_kernel/common/vectors/lanes.h)
    const int64_t p = problem.scale.numerator, q = problem.scale.denominator;
    const int64_t inputs = AlignUp(units * p + 2, problem.block), outputs = AlignUp(units * q, kLanes);
    return {problem.LaneRow(inputs), problem.LaneRow(outputs), problem.PlanePitch(CeilDiv(inputs + 2, p)),
            problem.PlanePitch(CeilDiv(outputs, q) + kMaxSkew)};
  }

  uint64_t PhaseBytes(const RowLayout &layout) const {
    return problem.LaneBytes(layout, problem.scale.numerator, problem.scale.denominator);
  }

  // Inputs from the left sample of the first output to the right sample of the last one.
  RowLayout Gather(int64_t units) const {
    const int64_t inputs = std::min(problem.in_length, problem.Span(units - 1, problem.scale.value) + 4);
    return {AlignUp(inputs, problem.block), AlignUp(units, kLanes)};
  }

  uint64_t GatherBytes(int64_t rows, const RowLayout &layout) const {
    return BytesOf(UpsampleLinear1dGatherBuffers(rows, layout.in_row, layout.out_row, problem.item));
  }
};

}  // namespace

Plan<UpsampleLinear1dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t in_length = args.self.shape[2], out_length = args.out.shape[2];
  const LinearScale scale = MakeLinearScale(in_length, out_length, args.align_corners, args.scales);
  const LinearProblem problem(args.self.shape[0] * args.self.shape[1], in_length, out_length,
                              DTypeSize(args.self.dtype), scale, platform);
  const Paths paths{problem, out_length, CeilDiv(out_length, scale.denominator)};
  return PlanLinear<UpsampleLinear1dTiling>(problem, {kPhases, kGather, kCopy}, paths);
}

}  // namespace avo::upsample_linear1d
