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

uint64_t SampleBytes(const SampleTile &tile, int64_t item, const Platform &platform) {
  return BytesOf(RoiAlignBuffers(platform.vector_cores, tile.located, tile.batch, tile.chunk, tile.bins,
                                 RoiPitch(tile.bins, item), item));
}

// Chooses the tile of at most `budget` bytes, or the smallest one, which may have more. All channels of a
// pixel are copied at once as long as that leaves room for a batch of 16 samples; else they come in chunks.
SampleTile FindSampleTile(int64_t pixel, int64_t bins, int64_t item, const Platform &platform,
                          uint64_t budget) {
  constexpr int64_t kMostChunk =
      1008;  // two pixels are less than 256 data blocks, the limit of repeat strides
  constexpr int64_t kMostBatch = 32, kWantedBatch = 16, kLeastBatch = 8, kLanes = 16;
  constexpr int64_t kMostLocated = 256, kLeastLocated = 64;
  const auto fits = [&](const SampleTile &tile) { return SampleBytes(tile, item, platform) <= budget; };
  SampleTile tile{std::min(pixel, kMostChunk), kWantedBatch, kLeastLocated, std::min(bins, kLanes)};
  while (tile.chunk > kLanes && !fits(tile)) tile.chunk = AlignUp(tile.chunk / 2, kLanes);
  tile.located = kMostLocated;
  while (tile.located > kLeastLocated && !fits(tile)) tile.located -= kLeastLocated;
  tile.batch = kMostBatch;
  while (tile.batch > kLeastBatch && !fits(tile)) tile.batch -= 8;
  while (tile.bins < bins) {
    SampleTile more = tile;
    more.bins = std::min(bins, tile.bins + kLanes);
    if (!fits(more)) break;
    tile = more;
  }
  return tile;
}

// What lies in UB at once where rows and columns are added up: channels, elements from bin to bin, columns of
// the image, and rows of bins; 0 columns where this is not possible.
struct SumTile {
  int64_t chunk, bin, slots, rows;
};

uint64_t SumBytes(const SumTile &tile, int64_t columns, int64_t item, const Platform &platform) {
  return BytesOf(RoiAlignSumsBuffers(platform.vector_cores, tile.rows, columns, tile.bin, tile.slots,
                                     tile.chunk, RoiPitch(tile.rows * columns, item), item));
}

// Elements from bin to bin: the channels, and one or two data blocks, so that the same column of eight rows
// of bins lies in every second bank group of UB. There is no such distance for a multiple of four columns.
int64_t BinStep(int64_t chunk, int64_t columns) {
  constexpr int64_t kBlock = 8;
  return chunk + (columns % 2 == 0 ? 1 : 2) * kBlock;
}

// Chooses the tile: most channels, and then most rows of bins, that leave room for kWantedSlots columns.
SumTile FindSumTile(const RoiAlignTiling &t, int64_t item, const Platform &platform) {
  constexpr int64_t kLanes = 16, kWantedSlots = 8, kFewChannels = 64, kMostChunk = 1008;
  constexpr int64_t kMostSlots = RoiSumsBuffers::kMostSlots, kMostRows = RoiSumsBuffers::kMostRows;
  const int64_t columns = t.outWidth;
  SumTile tile{};
  if (t.mode != 0 || columns > static_cast<int64_t>(RoiSumsBuffers::kMostColumns)) return tile;
  for (tile.rows = CeilDiv<int64_t>(t.outHeight, CeilDiv<int64_t>(t.outHeight, kMostRows));;
       tile.rows = CeilDiv<int64_t>(tile.rows, 2)) {
    const int64_t least = tile.rows > 1 ? std::min<int64_t>(t.pixel, kFewChannels) : kLanes;
    for (tile.chunk = std::min<int64_t>(t.pixel, kMostChunk);; tile.chunk = AlignUp(tile.chunk / 2, kLanes)) {
      tile.bin = BinStep(tile.chunk, columns);
      tile.slots = LargestFit(kMostSlots, platform.ub_bytes, [&](int64_t slots) {
        return SumBytes({tile.chunk, tile.bin, slots, tile.rows}, columns, item, platform);
      });
      if (tile.slots >= kWantedSlots || tile.chunk <= least) break;
    }
    if (tile.slots >= kWantedSlots || tile.rows == 1) return tile;
  }
}

}  // namespace

Plan<RoiAlignTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  Plan<RoiAlignTiling> plan;
  RoiAlignTiling &t = plan.tiling;
  if (args.out.numel() == 0) return plan;
  const int64_t item = DTypeSize(args.input.dtype);
  const int64_t bins = args.output_height * args.output_width;
  SampleTile tile =
      FindSampleTile(AlignUp<int64_t>(args.input.shape[1], 16), bins, item, platform, platform.ub_bytes);
  plan.ub_bytes = SampleBytes(tile, item, platform);
  if (plan.ub_bytes > platform.ub_bytes) ThrowUbTooSmall(platform, plan.ub_bytes);
  // Costs of regions are written while the first tile of the map is loaded.
  const uint64_t regions = BytesOf(RoiSharesBuffers(platform.vector_cores));
  Platform beside_regions = platform;
  beside_regions.ub_bytes -= regions;
  const uint64_t images = PlanChannelsLast(args.input.shape, item, kRoiTaps, beside_regions, &t);
  BalanceTiles(item, platform, &t);
  const uint64_t copy = ChannelsLastBytes(t, item) + regions;
  t.costs = static_cast<int64_t>(AlignUp<uint64_t>(images, kRoiAlignment));
  SetRegions(args.rois, args.output_height, args.output_width, args.spatial_scale, args.sampling_ratio,
             args.aligned && !args.batch_indices, args.mode, &t);
  plan.block_dim = platform.vector_cores;
  // The phases of the kernel follow each other.
  plan.ub_bytes = std::max(copy, plan.ub_bytes);
  const SumTile sum = FindSumTile(t, item, platform);
  const uint64_t bytes = std::max(copy, SumBytes(sum, t.outWidth, item, platform));
  const SampleTile beside = FindSampleTile(t.pixel, bins, item, platform, bytes);
  plan.tiling_key = kSamples;
  if (sum.slots > 0 && SampleBytes(beside, item, platform) <= bytes) {
    // Samples are pooled only where a mean is not finite: the kernel takes as much with and without them.
    tile = beside;
    plan.ub_bytes = bytes;
    plan.tiling_key = kSums;
  }
  t.chunk = static_cast<uint32_t>(tile.chunk);
  t.batch = static_cast<uint32_t>(tile.batch);
  t.located = static_cast<uint32_t>(tile.located);
  t.outBins = static_cast<uint32_t>(tile.bins);
  t.outPitch = static_cast<uint32_t>(RoiPitch(tile.bins, item));
  t.sumSlots = static_cast<uint32_t>(sum.slots);
  t.sumRows = static_cast<uint32_t>(sum.rows);
  t.sumChunk = static_cast<uint32_t>(sum.chunk);
  t.sumBin = static_cast<uint32_t>(sum.bin);
  t.sumPitch = static_cast<uint32_t>(RoiPitch(sum.rows * t.outWidth, item));
  plan.workspace = static_cast<uint64_t>(t.costs) + RoiCostBytes(t.rois, platform.vector_cores);
  return plan;
}

}  // namespace avo::roi_align
