// SPDX-License-Identifier: Apache-2.0
// Tiling of UpsampleLinear1d.
#include "op_host/upsample_linear1d_args.h"

#include "common/linear_tiling.h"

namespace avo::upsample_linear1d {
namespace {

// Unified Buffer of a tile of `units` periods: both queues, the lanes of inputs and outputs, and the staging
// of 2-byte elements.
int64_t PhaseBytes(const LinearProblem &problem, const RowLengths &row) {
  const int64_t queues = 2 * kLanes * (row.in + row.out) * problem.item;
  const int64_t lanes = (row.in + 2 + row.out) * kLanes * 4;
  const int64_t staging = problem.item == 4 ? 0 : std::max(row.in, row.out) * kLanes * problem.item;
  return queues + lanes + staging;
}

// Of a tile of rows: both queues, the table of offsets and weights, two float results, the gathered elements.
int64_t GatherBytes(const LinearProblem &problem, int64_t rows, const RowLengths &row) {
  const int64_t table = 6 * 4 + (problem.item == 4 ? 0 : problem.item);
  return rows * (2 * row.in * problem.item + row.out * (2 * problem.item + table));
}

// One input before the first period and one after the last.
RowLengths PhaseRow(const LinearProblem &problem, int64_t units) {
  return {AlignUp(units * problem.scale.numerator + 2, problem.block),
          AlignUp(units * problem.scale.denominator, kLanes)};
}

// The inputs between the first and the last output, and their right neighbours.
RowLengths GatherRow(const LinearProblem &problem, int64_t units) {
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
  RowLengths row{};
  if (scale.identity) {
    plan.tiling_key = kCopy;
    tile = FindCopyTile(problem.rows * in_length, problem.item, platform);
  } else if (problem.FitsLanes()) {
    plan.tiling_key = kPhases;
    tile = problem.FindLaneTile(CeilDiv(out_length, scale.denominator), [&](int64_t, int64_t units) {
      return PhaseBytes(problem, PhaseRow(problem, units));
    });
    row = PhaseRow(problem, tile.units);
    tiling.inStep = static_cast<uint32_t>(scale.numerator);
    tiling.outStep = static_cast<uint32_t>(scale.denominator);
    tiling.halfPixel = scale.half_pixel ? 1 : 0;
  }
  if (tile.rows == 0) {
    plan.tiling_key = kGather;
    tile = problem.FindRowTile(out_length, [&](int64_t rows, int64_t units) {
      return GatherBytes(problem, rows, GatherRow(problem, units));
    });
    row = GatherRow(problem, tile.units);
    FillSteps(scale.Forward(), &tiling);
  }
  FillTile(tile, row, &tiling);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(tile.groups * tile.tiles, platform.vector_cores));
  return plan;
}

}  // namespace avo::upsample_linear1d
