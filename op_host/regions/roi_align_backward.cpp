// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlignBackward.
#include "op_host/roi_align_backward_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align_backward {
namespace {

constexpr int64_t kLanes = 16;

struct Bands {
  int64_t item, block, bins, width;
  bool largest;
  const Platform &platform;

  int64_t Pitch(int64_t pixels) const { return (CeilDiv(AlignUp(pixels, kLanes), block) | 1) * block; }

  // Unified Buffer of a band of `pixels`; `batch` samples of the maxima.
  int64_t Bytes(int64_t pixels, int64_t chunk, int64_t located, int64_t batch, int64_t grad_bins) const {
    const int64_t slots = AlignUp(pixels, kLanes), lanes = AlignUp<int64_t>(chunk, 64);
    const int64_t wide = item == 4 ? 0 : grad_bins * chunk * 4 + slots * kLanes * item;
    const int64_t maxima = largest ? 4 * lanes * 4 + AlignUp<int64_t>(lanes / 8, 32) : 0;
    return RoiRegionBytes(platform.vector_cores) + RoiExtentBytes() + 7 * located * 4 +
           BilinearBytes(located, batch, chunk, kRoiTaps, item) + maxima + slots * chunk * 4 +
           2 * grad_bins * chunk * item + 2 * kLanes * Pitch(pixels) * item + wide;
  }

  bool Plan(RoiAlignBackwardTiling *tiling) const {
    constexpr int64_t kMostChunk = 1008;  // repeat strides of a pair of pixels below 256 blocks
    constexpr int64_t kLocated = 128, kMostPixels = 2048, kLeastPixels = 32, kRunBytes = 128;
    const int64_t batch = largest ? 8 : 0;
    for (int64_t chunk = std::min<int64_t>(tiling->pixel, kMostChunk);; chunk = AlignUp(chunk / 2, kLanes)) {
      for (const auto [located, grad_bins] :
           {std::pair{kLocated, std::min<int64_t>(bins, 8)}, {int64_t{64}, int64_t{1}}}) {
        const int64_t pixels = LargestFit(kMostPixels, platform.ub_bytes, [&](int64_t count) {
          return Bytes(count, chunk, located, batch, grad_bins);
        });
        if (pixels < (chunk > kLanes ? kLeastPixels : 1)) continue;
        // Whole rows, or pieces that are written in runs of whole sectors.
        const int64_t run = AlignUp(kRunBytes / item, kLanes);
        const int64_t columns = width <= pixels && width <= 2 * run ? width
                                : pixels >= kLanes                  ? std::min(AlignDown(pixels, kLanes), run)
                                                                    : 0;
        if (columns == 0) continue;
        tiling->chunk = static_cast<uint32_t>(chunk);
        tiling->batch = static_cast<uint32_t>(batch);
        tiling->located = static_cast<uint32_t>(located);
        tiling->gradBins = static_cast<uint32_t>(grad_bins);
        tiling->bandColumns = static_cast<uint32_t>(columns);
        tiling->bandRows = static_cast<uint32_t>(std::min(tiling->height, pixels / columns));
        tiling->bandPitch = static_cast<uint32_t>(Pitch(columns * tiling->bandRows));
        return true;
      }
      if (chunk == kLanes) return false;
    }
  }
};

}  // namespace

Plan<RoiAlignBackwardTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<RoiAlignBackwardTiling> plan;
  RoiAlignBackwardTiling &tiling = plan.tiling;
  const Shape &shape = args.out.shape;
  const int64_t item = DTypeSize(args.out.dtype), rois = args.rois.shape[0];
  const bool largest = args.mode != "avg";
  // A layout of the gradients in the fields of the feature maps, for as long as it takes to note it.
  uint64_t grads = 0;
  if (rois > 0) {
    grads = PlanChannelsLast(args.grad_output.shape, item, 1, platform, &tiling);
    tiling.gradTileChannels = tiling.tileChannels;
    tiling.gradTileRows = tiling.tileRows;
    tiling.gradTileColumns = tiling.tileColumns;
    tiling.gradTilePitch = tiling.tilePitch;
  }
  const uint64_t maps = PlanChannelsLast(shape, item, kRoiTaps, platform, &tiling);
  tiling.grads = static_cast<int64_t>(largest ? AlignUp<uint64_t>(maps, kRoiAlignment) : 0);
  tiling.costs = static_cast<int64_t>(AlignUp<uint64_t>(tiling.grads + grads, kRoiAlignment));
  SetRegions(args.rois, args.output_height, args.output_width, args.spatial_scale, args.sampling_ratio,
             args.aligned, args.mode, &tiling);
  const int64_t bins = args.output_height * args.output_width;
  if (!Bands{item, 32 / item, bins, tiling.width, largest, platform}.Plan(&tiling)) {
    throw std::invalid_argument("the Unified Buffer does not hold a band of the gradient");
  }
  plan.block_dim = platform.vector_cores;
  plan.workspace = static_cast<uint64_t>(tiling.costs) +
                   std::max(RoiExtentWorkspace(rois), RoiCostBytes(rois, platform.vector_cores));
  plan.tiling_key = largest ? kLargest : kMean;
  return plan;
}

}  // namespace avo::roi_align_backward
