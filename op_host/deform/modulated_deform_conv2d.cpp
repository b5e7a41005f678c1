// SPDX-License-Identifier: Apache-2.0
// Tiling of ModulatedDeformConv2d.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/modulated_deform_conv2d_args.h"

#include "op_host/deform/deform_tiling.h"

namespace avo::modulated_deform_conv2d {
namespace {

// Filters of a product: as many as L0A and L0C hold, in whole fractals.
int64_t ProductRows(int64_t filters, int64_t band, int64_t item, const Platform &platform) {
  const auto buffers = [&](int64_t fractals) {
    return RowProductBuffers(kFractalSide * fractals, band, 0, item);
  };
  const int64_t all = CeilDiv(filters, kFractalSide);
  return kFractalSide *
         std::min(LargestFit(all, platform.l0a_bytes, [&](int64_t n) { return BytesOf(buffers(n).l0a); }),
                  LargestFit(all, platform.l0c_bytes, [&](int64_t n) { return BytesOf(buffers(n).l0c); }));
}

// Taps that are sampled between two flags: as many as are located at once, but flags count to 15 only, and
// there are two bands of them.
int64_t TapsPerFlag(int64_t taps, int64_t located_taps) {
  constexpr int64_t kMostFlags = 7;  // of a band
  return std::min(taps, std::max(CeilDiv(taps, kMostFlags), located_taps));
}

}  // namespace

Plan<ModulatedDeformConv2dTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  const DeformProblem problem(args);
  Plan<ModulatedDeformConv2dTiling> plan;
  plan.tiling_key = kProduct;
  ModulatedDeformConv2dTiling &t = plan.tiling;
  problem.CheckPlaces(args);
  problem.FillSizes(args, &t);
  t.hasBias = args.bias ? 1 : 0;
  const int64_t batch = args.input.shape[0], filters = args.weight.shape[0], item = problem.item;
  if (batch == 0) return plan;

  const int64_t blocks = problem.Blocks(platform), band = problem.Band(batch, blocks),
                bands = CeilDiv(problem.Positions(), band);
  t.stepImages = std::min(batch, CeilDiv(kStepBands * blocks, bands));
  t.band = static_cast<uint32_t>(band);
  plan.block_dim = static_cast<uint32_t>(std::min(blocks, t.stepImages * bands));

  Platform copying = platform;
  copying.vector_cores = 2 * plan.block_dim;
  const int64_t filter_rows = filters * args.weight.shape[1];
  const uint64_t weights =
      PlanChannelsLast({1, filter_rows, 1, problem.Taps()}, item, 1, copying, &t.weights);
  const uint64_t images = PlanChannelsLast(problem.StepImages(t.stepImages), item, 2, copying, &t.images);
  const auto sampling = [&](int64_t located, int64_t sampled, int64_t chunk) {
    return BytesOf(DeformColumnsBuffers(band, located, sampled, chunk, item));
  };
  problem.PlanSampling(platform, 8, sampling, &t);
  t.tapsPerFlag = static_cast<uint32_t>(TapsPerFlag(problem.Taps(), t.located / (band / 2)));

  t.productRows = static_cast<uint32_t>(ProductRows(filters / args.groups, band, item, platform));
  const int64_t depth = problem.Taps() * AlignUp(args.weight.shape[1], 32 / item);
  t.productDepth = static_cast<uint32_t>(problem.ProductDepth(t.productRows, band, depth, platform));

  const int64_t columns = 2 * plan.block_dim * problem.Taps() * band * args.input.shape[1];
  plan.workspace = weights + 2 * images + (band + columns) * item;
  plan.ub_bytes = std::max({ChannelsLastBytes(t.weights, item), ChannelsLastBytes(t.images, item),
                            t.hasBias != 0 ? BytesOf(WriteOnesBuffers(band, item)) : 0,
                            sampling(t.located, t.sampled, t.chunk)});
  return plan;
}

}  // namespace avo::modulated_deform_conv2d
