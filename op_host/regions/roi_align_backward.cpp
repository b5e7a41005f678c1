// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlignBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/roi_align_backward_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align_backward {
namespace {

constexpr int64_t kLanes = 16;

// What lies in UB at once: channels, samples, positions of samples, gradients of bins, and a band.
struct BandTile {
  int64_t chunk, batch, located, grad_bins, rows, columns;
};

uint64_t BandBytes(const BandTile &tile, int64_t item) {
  return std::max(
      BytesOf(RoiExtentsBuffers()),
      BytesOf(RoiAlignBackwardBuffers(tile.located, tile.batch, tile.chunk, tile.grad_bins, tile.rows,
                                      tile.columns, RoiPitch(tile.rows * tile.columns, item), item)));
}

// The tile with a band of at most `pixels` pixels of an image: whole rows, or else pieces that are stored in
// runs of whole sectors of the L2. Where gradients are spread, a repeat takes all rows of the band.
BandTile WithBand(BandTile tile, int64_t pixels, int64_t height, int64_t width, int64_t item) {
  constexpr int64_t kSectorBytes = 128;
  const int64_t run = AlignUp(kSectorBytes / item, kLanes);
  const bool whole = width <= pixels && width <= 2 * run;
  tile.columns = whole ? width : std::min(AlignDown(pixels, kLanes), run);
  const int64_t most = tile.batch > 0 ? height : std::min<int64_t>(height, RoiSpreadBuffers::kMostRows);
  tile.rows = std::min(most, pixels / tile.columns);
  return tile;
}

// Chooses the largest band with as many channels as leave room for kWantedRows rows, or else for 32 pixels,
// or else with 16 channels. `pixel` is the channels of a pixel, `bins` the columns of bins of a region.
BandTile FindBandTile(int64_t pixel, int64_t bins, int64_t height, int64_t width, bool largest, int64_t item,
                      const Platform &platform) {
  constexpr int64_t kMostChunk =
      1008;  // two pixels are less than 256 data blocks, the limit of repeat strides
  constexpr int64_t kMostPixels = 2048, kFewPixels = 32, kMostBins = RoiSpreadBuffers::kMostBins;
  constexpr int64_t kWantedRows = 5, kFewChannels = 64;
  const int64_t batch = largest ? 8 : 0;
  const BandTile least = WithBand({kLanes, batch, 64, 1, 0, 0}, kLanes, height, width, item);
  if (BandBytes(least, item) > platform.ub_bytes) {
    ThrowUbTooSmall(platform, BandBytes(least, item));
  }
  const auto largest_band = [&](const BandTile &tile) {
    const int64_t pixels = LargestFit(kMostPixels, platform.ub_bytes, [&](int64_t count) {
      return count < kLanes ? 0 : BandBytes(WithBand(tile, count, height, width, item), item);
    });
    return pixels < kLanes ? tile : WithBand(tile, pixels, height, width, item);
  };
  const int64_t first = std::min(pixel, kMostChunk), grads = std::min(bins, kMostBins);
  const int64_t wanted = std::min(height, kWantedRows);
  for (int64_t chunk = first; !largest; chunk = AlignUp(chunk / 2, kLanes)) {
    const BandTile tile = largest_band({chunk, batch, 64, grads, 0, 0});
    if (tile.rows >= wanted) return tile;
    if (chunk <= kFewChannels) break;
  }
  for (int64_t chunk = first;; chunk = AlignUp(chunk / 2, kLanes)) {
    for (const BandTile &tile : {largest_band({chunk, batch, 128, grads, 0, 0}),
                                 largest_band({chunk, batch, least.located, least.grad_bins, 0, 0})}) {
      if (tile.rows * tile.columns >= (chunk > kLanes ? kFewPixels : 1)) return tile;
    }
  }
}

}  // namespace

Plan<RoiAlignBackwardTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  Plan<RoiAlignBackwardTiling> plan;
  RoiAlignBackwardTiling &t = plan.tiling;
  const Shape &shape = args.out.shape;
  const int64_t item = DTypeSize(args.out.dtype), rois = args.rois.shape[0];
  const bool largest = args.mode != "avg";
  // PlanChannelsLast writes the fields of the feature maps: those of the gradients move to their own fields.
  uint64_t grads = 0;
  if (rois > 0) {
    grads = PlanChannelsLast(args.grad_output.shape, item, 1, platform, &t);
    plan.ub_bytes = ChannelsLastBytes(t, item);
    t.gradTileChannels = t.tileChannels;
    t.gradTileRows = t.tileRows;
    t.gradTileColumns = t.tileColumns;
    t.gradTilePitch = t.tilePitch;
  }
  const uint64_t maps = PlanChannelsLast(shape, item, kRoiTaps, platform, &t);
  if (largest) plan.ub_bytes = std::max(plan.ub_bytes, ChannelsLastBytes(t, item));
  t.grads = static_cast<int64_t>(largest ? AlignUp<uint64_t>(maps, kRoiAlignment) : 0);
  t.costs = static_cast<int64_t>(AlignUp<uint64_t>(t.grads + grads, kRoiAlignment));
  SetRegions(args.rois, args.output_height, args.output_width, args.spatial_scale, args.sampling_ratio,
             args.aligned, args.mode, &t);

  const BandTile tile = FindBandTile(t.pixel, args.output_width, t.height, t.width, largest, item, platform);
  t.chunk = static_cast<uint32_t>(tile.chunk);
  t.batch = static_cast<uint32_t>(tile.batch);
  t.located = static_cast<uint32_t>(tile.located);
  t.gradBins = static_cast<uint32_t>(tile.grad_bins);
  t.bandColumns = static_cast<uint32_t>(tile.columns);
  t.bandRows = static_cast<uint32_t>(tile.rows);
  t.bandPitch = static_cast<uint32_t>(RoiPitch(tile.rows * tile.columns, item));
  plan.ub_bytes = std::max(plan.ub_bytes, BandBytes(tile, item));
  plan.block_dim = platform.vector_cores;
  // Extents of regions: numbers in float32, for a multiple of 64 regions.
  const uint64_t regions = static_cast<uint64_t>(AlignUp<int64_t>(rois, 64));
  plan.workspace = static_cast<uint64_t>(t.costs) + regions * RoiExtentsBuffers::kFields * 4;
  plan.tiling_key = largest ? kLargest : kMean;
  return plan;
}

}  // namespace avo::roi_align_backward
