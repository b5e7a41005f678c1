// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlign.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/roi_align_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align {
namespace {

// What lies in UB at once: channels, samples, positions of samples, and bins that are stored together.
struct SampleTile {
  int64_t chunk, batch, located, bins;
};

// Chooses the tile. All channels of a pixel are copied at once as long as that leaves room for a batch of 16
// samples; else they come in chunks.
SampleTile FindSampleTile(int64_t pixel, int64_t bins, int64_t item, const Platform &platform) {
  constexpr int64_t kMostChunk =
      1008;  // two pixels are less than 256 data blocks, the limit of repeat strides
  constexpr int64_t kMostBatch = 32, kWantedBatch = 16, kLeastBatch = 8, kLanes = 16;
  constexpr int64_t kMostLocated = 256, kLeastLocated = 64;
  const auto bytes = [&](const SampleTile &tile) {
    return BytesOf(RoiAlignBuffers(platform.vector_cores, tile.located, tile.batch, tile.chunk, tile.bins,
                                   RoiPitch(tile.bins, item), item));
  };
  const auto fits = [&](const SampleTile &tile) { return bytes(tile) <= platform.ub_bytes; };
  SampleTile tile{std::min(pixel, kMostChunk), kWantedBatch, kLeastLocated, std::min(bins, kLanes)};
  while (tile.chunk > kLanes && !fits(tile)) tile.chunk = AlignUp(tile.chunk / 2, kLanes);
  tile.located = kMostLocated;
  while (tile.located > kLeastLocated && !fits(tile)) tile.located -= kLeastLocated;
  tile.batch = kMostBatch;
  while (tile.batch > kLeastBatch && !fits(tile)) tile.batch -= 8;
  if (!fits(tile)) ThrowUbTooSmall(platform, bytes(tile));
  while (tile.bins < bins) {
    SampleTile more = tile;
    more.bins = std::min(bins, tile.bins + kLanes);
    if (!fits(more)) break;
    tile = more;
  }
  return tile;
}

}  // namespace

Plan<RoiAlignTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  Plan<RoiAlignTiling> plan;
  RoiAlignTiling &t = plan.tiling;
  if (args.out.numel() == 0) return plan;
  const int64_t item = DTypeSize(args.input.dtype);
  const uint64_t images = PlanChannelsLast(args.input.shape, item, kRoiTaps, platform, &t);
  t.costs = static_cast<int64_t>(AlignUp<uint64_t>(images, kRoiAlignment));
  SetRegions(args.rois, args.output_height, args.output_width, args.spatial_scale, args.sampling_ratio,
             args.aligned && !args.batch_indices, args.mode, &t);
  const SampleTile tile = FindSampleTile(t.pixel, args.output_height * args.output_width, item, platform);
  t.chunk = static_cast<uint32_t>(tile.chunk);
  t.batch = static_cast<uint32_t>(tile.batch);
  t.located = static_cast<uint32_t>(tile.located);
  t.outBins = static_cast<uint32_t>(tile.bins);
  t.outPitch = static_cast<uint32_t>(RoiPitch(tile.bins, item));
  plan.block_dim = platform.vector_cores;
  // The phases of the kernel follow each other; the first one has less than the last one.
  const RoiAlignBuffers pooling(plan.block_dim, t.located, t.batch, t.chunk, t.outBins, t.outPitch, item);
  plan.ub_bytes = std::max(ChannelsLastBytes(t, item), BytesOf(pooling));
  plan.workspace = static_cast<uint64_t>(t.costs) + RoiCostBytes(t.rois, platform.vector_cores);
  plan.tiling_key = kSamples;
  return plan;
}

}  // namespace avo::roi_align
