// SPDX-License-Identifier: Apache-2.0
// Tiling of ModulatedDeformConv2dBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/modulated_deform_conv2d_backward_args.h"

#include "op_host/common/tiling/pixel_bands.h"
#include "op_host/deform/deform_tiling.h"

namespace avo::modulated_deform_conv2d_backward {
namespace {

// Chooses the shape of the products: rows are positions or filters, columns are channels or (channel, tap).
// L0C holds one product.
void PlanProduct(const DeformProblem &problem, const Platform &platform,
                 ModulatedDeformConv2dBackwardTiling *t) {
  constexpr int64_t kLeastRows = 8 * kFractalSide;
  const int64_t item = problem.item, band = t->band, slice = RowProductBuffers::kSliceBytes / item;
  const int64_t rows = std::max(AlignUp(std::min(band, problem.Positions()), kFractalSide), kLeastRows);
  const auto buffers = [&](int64_t fractals) {
    return RowProductBuffers(rows, kFractalSide * fractals, 0, item);
  };
  const int64_t all = CeilDiv(problem.weight[1] * problem.Taps(), kFractalSide);
  const int64_t width =
      kFractalSide *
      std::min(LargestFit(all, platform.l0b_bytes, [&](int64_t n) { return BytesOf(buffers(n).l0b); }),
               LargestFit(all, platform.l0c_bytes, [&](int64_t n) { return BytesOf(buffers(n).l0c); }));
  const int64_t deepest = AlignUp(std::max(problem.weight[0] / problem.groups, band), slice);
  t->productRows = static_cast<uint32_t>(rows);
  t->productWidth = static_cast<uint32_t>(width);
  t->productDepth = static_cast<uint32_t>(problem.ProductDepth(rows, width, deepest, platform));
}

}  // namespace

Plan<ModulatedDeformConv2dBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  constexpr int64_t kLine = 512;  // bytes of GM to which regions of the workspace are aligned
  const DeformProblem problem(args);
  Plan<ModulatedDeformConv2dBackwardTiling> plan;
  plan.tiling_key = kGradients;
  ModulatedDeformConv2dBackwardTiling &t = plan.tiling;
  problem.CheckPlaces(args);
  problem.FillSizes(args, &t);
  const int64_t batch = args.input.shape[0], filters = args.weight.shape[0], per_group = args.weight.shape[1];
  const int64_t item = problem.item, taps = problem.Taps(), channels = args.input.shape[1];
  const int64_t blocks = problem.Blocks(platform), band = problem.Band(batch, blocks);
  const int64_t bands = CeilDiv(problem.Positions(), band);
  t.band = static_cast<uint32_t>(band);
  t.stepImages = std::min(batch, CeilDiv(kStepBands * blocks, bands));
  // Without images the kernel still writes zeros: the gradients of weights and bias.
  plan.block_dim = static_cast<uint32_t>(std::max<int64_t>(1, std::min(blocks, t.stepImages * bands)));
  plan.ub_bytes = BytesOf(DeformSumBuffers(item));
  if (plan.ub_bytes > platform.ub_bytes) ThrowUbTooSmall(platform, plan.ub_bytes);
  // The lists of terms and the gradients of offset and mask follow each other.
  const auto sampling = [&](int64_t located, int64_t sampled, int64_t chunk) {
    return std::max(BytesOf(DeformGradientsBuffers(band, located, sampled, chunk, item)),
                    BytesOf(DeformTermsBuffers(band, located, item)));
  };
  problem.PlanSampling(platform, kFractalSide, sampling, &t);
  t.images.channels = problem.Channels();
  if (batch == 0) return plan;

  Platform copying = platform;
  copying.vector_cores = 2 * plan.block_dim;
  const Shape images = problem.StepImages(t.stepImages);
  const Shape grads{t.stepImages, filters, problem.out[0], problem.out[1]};
  const int64_t sums = AlignUp<int64_t>(filters * per_group * taps, 8) + AlignUp<int64_t>(filters, 8);
  t.bands.rows = taps * problem.Positions();
  t.bands.tapBits = 2;
  t.bands.located = t.located;
  const uint64_t adding = PlanPixelBands(images, sizeof(float), item, copying, &t.bands);
  const int64_t bytes[] = {
      static_cast<int64_t>(PlanChannelsLast(images, item, 2, copying, &t.images)),
      static_cast<int64_t>(PlanChannelsLast(grads, item, 1, copying, &t.grads)),
      static_cast<int64_t>(PlanChannelsLast({1, filters, 1, per_group * taps}, item, 1, copying, &t.weights)),
      band * item,
      t.stepImages * taps * problem.Positions() * channels * 4,
      plan.block_dim * 2 * channels * taps * band * item,
      plan.block_dim * sums * 4,
      static_cast<int64_t>(PixelTermBytes(t.bands)),
  };
  for (size_t i = 0; i < std::size(bytes); ++i) {
    t.regions[i] = static_cast<int64_t>(plan.workspace);
    plan.workspace += static_cast<uint64_t>(AlignUp(bytes[i], kLine));
  }
  PlanProduct(problem, platform, &t);
  plan.ub_bytes =
      std::max({plan.ub_bytes, ChannelsLastBytes(t.images, item), ChannelsLastBytes(t.grads, item),
                ChannelsLastBytes(t.weights, item), BytesOf(WriteOnesBuffers(band, item)),
                sampling(t.located, t.sampled, t.chunk), adding});
  return plan;
}

}  // namespace avo::modulated_deform_conv2d_backward
