// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1dBackward.
#include "op_host/upsample_linear1d_backward_args.h"

#include "common/linear_tiling.h"

namespace avo::upsample_linear1d_backward {
namespace {

// Outputs that one input may receive from: those less than one input away on either side, ceil(2 / step).
int64_t Window(const LinearProblem &problem) {
  const LinearScale &scale = problem.scale;
  if (scale.value <= 0) return problem.out_length;
  if (scale.rational) return std::min(problem.out_length, CeilDiv(2 * scale.denominator, scale.numerator));
  return std::min(problem.out_length, LinearProblem::Span(2, 1 / scale.value) + 1);
}

// Outputs of a window in UB at once: both buffers of the queue together take an eighth of it at most.
int64_t WindowChunk(const LinearProblem &problem) {
  return std::min(Window(problem), static_cast<int64_t>(problem.platform.ub_bytes) / (16 * problem.item));
}

// Of a tile of rows: both queues, the table, weights and gradients, and the gathered elements and sums of
// half types.
int64_t GatherBytes(const LinearProblem &problem, int64_t rows, const RowLayout &layout) {
  const int64_t table = 6 * 4 + (problem.item == 4 ? 0 : problem.item + 4);
  return rows * (2 * layout.in_row * problem.item + layout.out_row * (2 * problem.item + table));
}

// The tile's periods and one on either side; sums reach one input beyond each end, and the transposition back
// to rows rounds up.
RowLayout PhaseLayout(const LinearProblem &problem, int64_t units) {
  const int64_t p = problem.scale.numerator, q = problem.scale.denominator;
  const int64_t grads = AlignUp((units + 2) * q, problem.block), sums = (units + 2) * p + 2 + kLanes;
  return {problem.OddRow(grads), problem.OddRow(AlignUp(units * p, kLanes)), problem.Pitch(CeilDiv(grads, q)),
          problem.Pitch(CeilDiv(sums, p))};
}

// The outputs from the first window to the last, as much of the windows as is loaded at once.
RowLayout GatherLayout(const LinearProblem &problem, int64_t units) {
  constexpr int64_t kMaxSpread = 8176;  // indices below 2^13; a longer one must not fit
  const long double value = problem.scale.value;
  const int64_t spread = value <= 0 ? 0 : LinearProblem::Span(units - 1, 1 / value) + 2;
  const int64_t outputs = std::min(problem.out_length, spread + WindowChunk(problem));
  return {AlignUp(outputs, problem.block) + (spread > kMaxSpread ? int64_t{1} << 30 : 0),
          AlignUp(units, kLanes)};
}

}  // namespace

Plan<UpsampleLinear1dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<UpsampleLinear1dBackwardTiling> plan;
  UpsampleLinear1dBackwardTiling &tiling = plan.tiling;
  const int64_t in_length = args.out.shape[2], out_length = args.grad_output.shape[2];
  const LinearScale scale = MakeLinearScale(in_length, out_length, args.align_corners, args.scales);
  const LinearProblem problem(args.out.shape[0] * args.out.shape[1], in_length, out_length,
                              DTypeSize(args.out.dtype), scale, platform);
  tiling.rows = problem.rows;
  tiling.inLength = in_length;
  tiling.outLength = out_length;
  if (problem.rows == 0) return plan;

  Tile tile;
  RowLayout layout;
  if (scale.identity) {
    plan.tiling_key = kCopy;
    tile = FindCopyTile(problem.rows * in_length, problem.item, platform);
  } else if (problem.FitsLanes()) {
    plan.tiling_key = kPhases;
    tile = problem.FindLaneTile(CeilDiv(in_length, scale.numerator), [&](int64_t, int64_t units) {
      return problem.LaneBytes(PhaseLayout(problem, units), scale.denominator, scale.numerator);
    });
    layout = PhaseLayout(problem, tile.units);
    tiling.inStep = static_cast<uint32_t>(scale.numerator);
    tiling.outStep = static_cast<uint32_t>(scale.denominator);
    tiling.halfPixel = scale.half_pixel ? 1 : 0;
  }
  if (tile.rows == 0) {
    plan.tiling_key = kGather;
    tile = problem.FindRowTile(in_length, [&](int64_t rows, int64_t units) {
      return GatherBytes(problem, rows, GatherLayout(problem, units));
    });
    layout = GatherLayout(problem, tile.units);
    FillSteps(scale.Forward(), &tiling);
    const LinearSteps inverse = scale.Backward();
    tiling.inverseWhole = inverse.whole;
    tiling.inverseHigh = inverse.high;
    tiling.inverseLow = inverse.low;
    tiling.inverseOffset = inverse.offset;
    tiling.inverse0 = inverse.parts[0];
    tiling.inverse1 = inverse.parts[1];
    tiling.inverse2 = inverse.parts[2];
    tiling.window = Window(problem);
    tiling.windowChunk = static_cast<uint32_t>(WindowChunk(problem));
  }
  FillTile(tile, layout, &tiling);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(tile.groups * tile.tiles, platform.vector_cores));
  return plan;
}

}  // namespace avo::upsample_linear1d_backward
