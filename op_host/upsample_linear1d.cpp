// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1d.
#include "op_host/upsample_linear1d_args.h"

#include "common/linear_tiling.h"

namespace avo::upsample_linear1d {
namespace {

// Of a tile of rows: both queues, the table of offsets and weights, two float results, the gathered elements.
int64_t GatherBytes(const LinearProblem &problem, int64_t rows, const RowLayout &layout) {
  const int64_t table = 6 * 4 + (problem.item == 4 ? 0 : problem.item);
  return rows * (2 * layout.in_row * problem.item + layout.out_row * (2 * problem.item + table));
}

// One input before the first period and one after the last; the transposition to lanes rounds up to blocks
// and leaves room for the sample that goes on beyond the signal.
RowLayout PhaseLayout(const LinearProblem &problem, int64_t units) {
  const int64_t p = problem.scale.numerator, q = problem.scale.denominator;
  const int64_t inputs = AlignUp(units * p + 2, problem.block), outputs = AlignUp(units * q, kLanes);
  constexpr int64_t kMaxSkew = 7;
  return {problem.OddRow(inputs), problem.OddRow(outputs), problem.Pitch(CeilDiv(inputs + 2, p)),
          problem.Pitch(CeilDiv(outputs, q) + kMaxSkew)};
}

// The inputs between the first and the last output, and their right neighbours.
RowLayout GatherLayout(const LinearProblem &problem, int64_t units) {
  const int64_t inputs = std::min(problem.in_length, problem.Span(units - 1, problem.scale.value) + 4);
  return {AlignUp(inputs, problem.block), AlignUp(units, kLanes)};
}

}  // namespace

Plan<UpsampleLinear1dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<UpsampleLinear1dTiling> plan;
  UpsampleLinear1dTiling &tiling = plan.tiling;
  const int64_t in_length = args.self.shape[2], out_length = args.out.shape[2];
  const LinearScale scale = MakeLinearScale(in_length, out_length, args.align_corners, args.scales);
  const LinearProblem problem(args.self.shape[0] * args.self.shape[1], in_length, out_length,
                              DTypeSize(args.self.dtype), scale, platform);
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
    tile = problem.FindLaneTile(CeilDiv(out_length, scale.denominator), [&](int64_t, int64_t units) {
      return problem.LaneBytes(PhaseLayout(problem, units), scale.numerator, scale.denominator);
    });
    layout = PhaseLayout(problem, tile.units);
    tiling.inStep = static_cast<uint32_t>(scale.numerator);
    tiling.outStep = static_cast<uint32_t>(scale.denominator);
    tiling.halfPixel = scale.half_pixel ? 1 : 0;
  }
  if (tile.rows == 0) {
    plan.tiling_key = kGather;
    tile = problem.FindRowTile(out_length, [&](int64_t rows, int64_t units) {
      return GatherBytes(problem, rows, GatherLayout(problem, units));
    });
    layout = GatherLayout(problem, tile.units);
    FillSteps(scale.Forward(), &tiling);
  }
  FillTile(tile, layout, &tiling);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(tile.groups * tile.tiles, platform.vector_cores));
  return plan;
}

}  // namespace avo::upsample_linear1d
