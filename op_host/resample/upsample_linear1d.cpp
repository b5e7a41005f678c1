// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1d.
#include "op_host/upsample_linear1d_args.h"

#include "op_host/resample/linear_tiling.h"

namespace avo::upsample_linear1d {
namespace {

struct Paths {
  const LinearProblem &problem;
  int64_t length, periods;

  // One input before the first period and one after the last; the transposition to lanes rounds up to blocks
  // and leaves room for the sample that goes on beyond the signal.
  RowLayout Phases(int64_t units) const {
    constexpr int64_t kMaxSkew = 7;  // of a plane of sums (op_kernel/common/vectors/lanes.h)
    const int64_t p = problem.scale.numerator, q = problem.scale.denominator;
    const int64_t inputs = AlignUp(units * p + 2, problem.block), outputs = AlignUp(units * q, kLanes);
    return {problem.OddRow(inputs), problem.OddRow(outputs), problem.Pitch(CeilDiv(inputs + 2, p)),
            problem.Pitch(CeilDiv(outputs, q) + kMaxSkew)};
  }

  int64_t PhaseBytes(const RowLayout &layout) const {
    return problem.LaneBytes(layout, problem.scale.numerator, problem.scale.denominator);
  }

  // The inputs between the first and the last output, and their right neighbours.
  RowLayout Gather(int64_t units) const {
    const int64_t inputs = std::min(problem.in_length, problem.Span(units - 1, problem.scale.value) + 4);
    return {AlignUp(inputs, problem.block), AlignUp(units, kLanes)};
  }

  // A row in both queues, in the table of offsets and weights, the two float results, and the gathered
  // elements.
  int64_t GatherBytes(const RowLayout &layout) const {
    const int64_t table = 6 * 4 + (problem.item == 4 ? 0 : problem.item);
    return 2 * layout.in_row * problem.item + layout.out_row * (2 * problem.item + table);
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
