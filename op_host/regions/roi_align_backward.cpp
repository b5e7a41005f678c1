// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlignBackward.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/roi_align_backward_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align_backward {
namespace {

constexpr int64_t kLanes = 16;

// What lies in UB at once: channels, samples, positions of samples, gradients of bins, and pixels of a band.
struct BandTile {
  int64_t chunk, batch, located, grad_bins, pixels;
};

// Columns of a band of at most `pixels` pixels: whole rows, or else pieces that are stored in runs of whole
// sectors of the L2.
int64_t BandColumns(int64_t pixels, int64_t width, int64_t item) {
  constexpr int64_t kSectorBytes = 128;
  const int64_t run = AlignUp(kSectorBytes / item, kLanes);
  return width <= pixels && width <= 2 * run ? width : std::min(AlignDown(pixels, kLanes), run);
}

// Bytes of UB with a band of `columns` columns.
uint64_t BandBytes(const BandTile &tile, int64_t columns, int64_t pitch, int64_t item,
                   const Platform &platform) {
  return BytesOf(RoiAlignBackwardBuffers(platform.vector_cores, tile.located, tile.batch, tile.chunk,
                                         tile.grad_bins, tile.pixels, tile.batch > 0 ? 0 : columns, pitch,
                                         item));
}

// Bytes of UB with a band of `tile.pixels` pixels of an image with `width` columns.
uint64_t RowBytes(const BandTile &tile, int64_t width, int64_t item, const Platform &platform) {
  return BandBytes(tile, BandColumns(tile.pixels, width, item), RoiPitch(tile.pixels, item), item, platform);
}

// Chooses the largest band with as many channels as leave room for 32 pixels, or else with 16 channels.
// `pixel` is the channels of a pixel, `bins` the columns of bins of a region, `width` the columns of an
// image.
BandTile FindBandTile(int64_t pixel, int64_t bins, int64_t width, bool largest, int64_t item,
                      const Platform &platform) {
  constexpr int64_t kMostChunk =
      1008;  // two pixels are less than 256 data blocks, the limit of repeat strides
  constexpr int64_t kMostPixels = 2048, kFewPixels = 32, kMostBins = RoiSpreadBuffers::kMostBins;
  const int64_t batch = largest ? 8 : 0;
  const BandTile least{kLanes, batch, 64, 1, kLanes};
  if (RowBytes(least, width, item, platform) > platform.ub_bytes) {
    ThrowUbTooSmall(platform, RowBytes(least, width, item, platform));
  }
  for (int64_t chunk = std::min(pixel, kMostChunk);; chunk = AlignUp(chunk / 2, kLanes)) {
    for (BandTile tile : {BandTile{chunk, batch, 128, std::min<int64_t>(bins, kMostBins), 0},
                          BandTile{chunk, batch, least.located, least.grad_bins, 0}}) {
      tile.pixels = LargestFit(kMostPixels, platform.ub_bytes, [&](int64_t pixels) {
        BandTile other = tile;
        other.pixels = pixels;
        return RowBytes(other, width, item, platform);
      });
      if (tile.pixels >= (chunk > kLanes ? kFewPixels : 1)) return tile;
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

  BandTile tile = FindBandTile(t.pixel, args.output_width, t.width, largest, item, platform);
  const int64_t columns = BandColumns(tile.pixels, t.width, item);
  const int64_t rows = std::min(t.height, tile.pixels / columns);
  tile.pixels = rows * columns;
  t.chunk = static_cast<uint32_t>(tile.chunk);
  t.batch = static_cast<uint32_t>(tile.batch);
  t.located = static_cast<uint32_t>(tile.located);
  t.gradBins = static_cast<uint32_t>(tile.grad_bins);
  t.bandColumns = static_cast<uint32_t>(columns);
  t.bandRows = static_cast<uint32_t>(rows);
  t.bandPitch = static_cast<uint32_t>(RoiPitch(tile.pixels, item));
  plan.ub_bytes = std::max(plan.ub_bytes, BandBytes(tile, columns, t.bandPitch, item, platform));
  plan.block_dim = platform.vector_cores;
  // Extents of regions: five numbers in float32, for a multiple of 64 regions.
  const uint64_t extents = static_cast<uint64_t>(AlignUp<int64_t>(rois, 64) * 5 * 4);
  plan.workspace =
      static_cast<uint64_t>(t.costs) + std::max(extents, RoiCostBytes(rois, platform.vector_cores));
  plan.tiling_key = largest ? kLargest : kMean;
  return plan;
}

}  // namespace avo::roi_align_backward
