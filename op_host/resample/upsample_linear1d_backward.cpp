// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1dBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/upsample_linear1d_backward_args.h"

#include "op_host/resample/linear_tiling.h"

namespace avo::upsample_linear1d_backward {
namespace {

// How tiles of the gradient lie in UB, for PlanLinear.
struct Paths {
  const LinearProblem &problem;
  int64_t length, periods;

  // Gradients of `units` periods and of one more on either side. Sums reach one input beyond each end, and
  // the transposition back to rows rounds up.
  RowLayout Phases(int64_t units) const {
    const int64_t p = problem.scale.numerator, q = problem.scale.denominator;
    const int64_t grads = AlignUp((units + 2) * q, problem.block), sums = (units + 2) * p + 2 + kLanes;
    return {problem.LaneRow(grads), problem.LaneRow(AlignUp(units * p, kLanes)),
            problem.PlanePitch(CeilDiv(grads, q)), problem.PlanePitch(CeilDiv(sums, p))};
  }

  uint64_t PhaseBytes(const RowLayout &layout) const {
    return problem.LaneBytes(layout, problem.scale.denominator, problem.scale.numerator);
  }

  // Most outputs that one input receives from. They lie less than one input away from it, on either side, so
  // there are at most ceil(2 / step) of them.
  int64_t Window() const {
    const LinearScale &scale = problem.scale;
    if (scale.value <= 0) return problem.out_length;
    if (scale.rational) return std::min(problem.out_length, CeilDiv(2 * scale.denominator, scale.numerator));
    return std::min(problem.out_length, LinearProblem::Span(2, 1 / scale.value) + 1);
  }

  // Outputs of a window that are in UB at once. The two buffers of the queue together take at most an eighth
  // of UB.
  int64_t WindowPiece() const {
    return std::min(Window(), static_cast<int64_t>(problem.platform.ub_bytes) / (16 * problem.item));
  }

  // Outputs from the start of the first window to the start of the last one, and a piece of that window.
  RowLayout Gather(int64_t units) const {
    constexpr int64_t kMaxSpread =
        8176;  // indices are below 2^13; a tile whose windows spread more must not fit
    const long double value = problem.scale.value;
    const int64_t spread = value <= 0 ? 0 : LinearProblem::Span(units - 1, 1 / value) + 2;
    const int64_t outputs = std::min(problem.out_length, spread + WindowPiece());
    return {AlignUp(outputs, problem.block) + (spread > kMaxSpread ? int64_t{1} << 30 : 0),
            AlignUp(units, kLanes)};
  }

  uint64_t GatherBytes(int64_t rows, const RowLayout &layout) const {
    return BytesOf(UpsampleLinear1dBackwardGatherBuffers(rows, layout.in_row, layout.out_row, problem.item));
  }
};

}  // namespace

Plan<UpsampleLinear1dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  const int64_t in_length = args.out.shape[2], out_length = args.grad_output.shape[2];
  const LinearScale scale = MakeLinearScale(in_length, out_length, args.align_corners, args.scales);
  const LinearProblem problem(args.out.shape[0] * args.out.shape[1], in_length, out_length,
                              DTypeSize(args.out.dtype), scale, platform);
  const Paths paths{problem, in_length, scale.numerator > 0 ? CeilDiv(in_length, scale.numerator) : 0};
  auto plan = PlanLinear<UpsampleLinear1dBackwardTiling>(problem, {kPhases, kGather, kCopy}, paths);
  if (plan.tiling_key != kGather) return plan;

  const LinearSteps inverse = scale.Backward();
  plan.tiling.inverseWhole = inverse.whole;
  plan.tiling.inverseHigh = inverse.high;
  plan.tiling.inverseLow = inverse.low;
  plan.tiling.inverseOffset = inverse.offset;
  plan.tiling.inverse0 = inverse.parts[0];
  plan.tiling.inverse1 = inverse.parts[1];
  plan.tiling.inverse2 = inverse.parts[2];
  plan.tiling.window = paths.Window();
  plan.tiling.windowPiece = static_cast<uint32_t>(paths.WindowPiece());
  return plan;
}

}  // namespace avo::upsample_linear1d_backward
