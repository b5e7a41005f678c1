// SPDX-License-Identifier: Apache-2.0
// Tiling of ModulatedDeformConv2d.
#include "op_host/modulated_deform_conv2d_args.h"

#include "op_host/deform/deform_tiling.h"

namespace avo::modulated_deform_conv2d {
Plan<ModulatedDeformConv2dTiling> ComputeTiling(const Args &args, const Platform &platform) {
  constexpr int64_t kRounds = 4;  // bands of a block between two meetings of all cores
  constexpr int64_t kSide = 16;   // rows of a fractal
  const DeformProblem problem(args);
  Plan<ModulatedDeformConv2dTiling> plan;
  plan.tiling_key = kProduct;
  ModulatedDeformConv2dTiling &t = plan.tiling;
  const int64_t batch = args.input.shape[0], filters = args.weight.shape[0];
  const int64_t per_group = filters / args.groups;

  const int64_t blocks = problem.Blocks(platform), band = problem.Band(batch, blocks),
                bands = CeilDiv(problem.Positions(), band);
  t.stepImages = std::min(batch, CeilDiv<int64_t>(kRounds * blocks, bands));
  t.band = static_cast<uint32_t>(band);
  plan.block_dim = static_cast<uint32_t>(std::min(blocks, t.stepImages * bands));

  Platform copying = platform;
  copying.vector_cores = 2 * plan.block_dim;
  const int64_t filter_rows = filters * args.weight.shape[1];
  uint64_t workspace =
      PlanChannelsLast({1, filter_rows, 1, problem.Taps()}, problem.item, 1, copying, &t.weights);
  const Shape images{t.stepImages * args.deform_groups, problem.Channels(), args.input.shape[2],
                     args.input.shape[3]};
  workspace += 2 * PlanChannelsLast(images, problem.item, 2, copying, &t.images);
  const auto bytes = [&](int64_t located, int64_t sampled, int64_t chunk) {
    const int64_t columns = 2 * sampled * chunk * problem.item;
    return problem.TapBytes(band, located) + BilinearBytes(located, sampled, chunk, 2, problem.item) +
           columns;
  };
  problem.PlanSampling(args, platform, 8, bytes, &t);
  // A flag counts to 15, for the parts of two bands.
  constexpr int64_t kMostParts = 7;
  t.partTaps = static_cast<uint32_t>(
      std::min(problem.Taps(), std::max(CeilDiv(problem.Taps(), kMostParts), t.located / (band / 2))));
  t.hasBias = args.bias ? 1 : 0;

  // All of L0C where there are filters for it; L0A and L0B hold 128 bytes of each row twice.
  const int64_t most_rows = std::min<int64_t>(platform.l0c_bytes / (4 * band), platform.l0a_bytes / 256);
  t.productRows = static_cast<uint32_t>(std::min(AlignUp(per_group, kSide), AlignDown(most_rows, kSide)));
  const int64_t slice = 128 / problem.item,
                depth = problem.Taps() * AlignUp(args.weight.shape[1], 32 / problem.item);
  const int64_t slices = static_cast<int64_t>(platform.l1_bytes) / (2 * (t.productRows + band) * 128);
  t.productDepth = static_cast<uint32_t>(slice * std::min(slices, CeilDiv(depth, slice)));
  workspace += band * problem.item * (1 + 2 * plan.block_dim * problem.Taps() * args.input.shape[1]);
  plan.workspace = workspace;
  return plan;
}

}  // namespace avo::modulated_deform_conv2d
