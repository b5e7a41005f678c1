// SPDX-License-Identifier: Apache-2.0
// Tiling of ModulatedDeformConv2dBackward.
#include "op_host/modulated_deform_conv2d_backward_args.h"

#include "op_host/deform/deform_tiling.h"

namespace avo::modulated_deform_conv2d_backward {
namespace {

// Unified Buffer of DeformGradients and of DeformScatter, which follow each other.
int64_t BufferBytes(const DeformProblem &problem, int64_t band, int64_t located, int64_t sampled,
                    int64_t chunk) {
  constexpr int64_t kSlice = 8, kLanes = 16, kRun = 256;
  const int64_t item = problem.item, tile = sampled * chunk;
  const int64_t gradients = BilinearBytes(located, sampled, chunk, 2, item) + tile * (3 * 4 + 2 * item) +
                            3 * located * item + 4 * sampled * 64 * 4 + 4 * (located + sampled) * 4;
  const int64_t scatter = BilinearBytes(located, kSlice, kLanes, 2, item) +
                          band / 2 * kSlice * 4 * (2 + 8 + 1) + (kRun + 2) * kSlice * 4 +
                          kLanes * kRun * (item + 4);
  return problem.TapBytes(band, located) + std::max(gradients, scatter);
}

}  // namespace

Plan<ModulatedDeformConv2dBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  constexpr int64_t kRounds = 4;  // bands of a block between two meetings of all cores
  constexpr int64_t kSide = 16;   // rows of a fractal
  constexpr int64_t kLine = 512;  // of GM
  constexpr int64_t kSlice = 8;   // channels of a slice of the gradient
  const DeformProblem problem(args);
  Plan<ModulatedDeformConv2dBackwardTiling> plan;
  plan.tiling_key = kGradients;
  ModulatedDeformConv2dBackwardTiling &t = plan.tiling;
  const int64_t batch = args.input.shape[0], filters = args.weight.shape[0], per_group = args.weight.shape[1];
  const int64_t item = problem.item, taps = problem.Taps(), channels = args.input.shape[1];
  const int64_t blocks = problem.Blocks(platform), band = problem.Band(batch, blocks);
  const int64_t bands = CeilDiv(problem.Positions(), band);
  t.band = static_cast<uint32_t>(band);
  t.stepImages = std::min(batch, CeilDiv(kRounds * blocks, bands));
  // Without images there are zeros to write.
  plan.block_dim = static_cast<uint32_t>(std::max<int64_t>(1, std::min(blocks, t.stepImages * bands)));
  problem.PlanSampling(
      args, platform, kSide,
      [&](int64_t located, int64_t sampled, int64_t chunk) {
        return BufferBytes(problem, band, located, sampled, chunk);
      },
      &t);
  t.images.channels = problem.Channels();
  if (batch == 0) return plan;

  Platform copying = platform;
  copying.vector_cores = 2 * plan.block_dim;
  const Shape images{t.stepImages * args.deform_groups, problem.Channels(), args.input.shape[2],
                     args.input.shape[3]};
  const Shape grads{t.stepImages, filters, problem.out[0], problem.out[1]};
  const int64_t sums = AlignUp(filters * per_group * taps, kSlice) + AlignUp(filters, kSlice);
  const int64_t pixels = (images[2] + 3) * (images[3] + 1);  // of an image and its border
  const int64_t bytes[] = {
      static_cast<int64_t>(PlanChannelsLast(images, item, 2, copying, &t.images)),
      static_cast<int64_t>(PlanChannelsLast(grads, item, 1, copying, &t.grads)),
      static_cast<int64_t>(PlanChannelsLast({1, filters, 1, per_group * taps}, item, 1, copying, &t.weights)),
      band * item,
      t.stepImages * taps * problem.Positions() * channels * 4,
      plan.block_dim * 2 * channels * taps * band * item,
      plan.block_dim * sums * 4,
      images[0] * CeilDiv(images[1], kSlice) * pixels * kSlice * 4,
  };
  for (size_t i = 0; i < std::size(bytes); ++i) {
    t.regions[i] = static_cast<int64_t>(plan.workspace);
    plan.workspace += static_cast<uint64_t>(AlignUp(bytes[i], kLine));
  }

  // L0C holds one result, L0A and L0B 128 bytes of each row twice, L1 what is loaded twice.
  const int64_t rows = std::max(AlignUp(std::min(band, problem.Positions()), kSide), kSide * 8);
  const int64_t width = std::min(
      AlignUp(per_group * taps, kSide),
      AlignDown(static_cast<int64_t>(std::min(platform.l0c_bytes / (4 * rows), platform.l0b_bytes / 256)),
                kSide));
  const int64_t slice = 128 / item,
                deepest = std::max(AlignUp(filters / args.groups, slice), AlignUp(band, slice));
  const int64_t slices = static_cast<int64_t>(platform.l1_bytes) / (2 * (rows + width) * 128);
  t.productRows = static_cast<uint32_t>(rows);
  t.productWidth = static_cast<uint32_t>(width);
  t.productDepth = static_cast<uint32_t>(slice * std::min(slices, deepest / slice));
  return plan;
}

}  // namespace avo::modulated_deform_conv2d_backward
