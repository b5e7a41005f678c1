// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlign.
#include "op_host/roi_align_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_align_tiles.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align {

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
  t.whole = args.mode == "avg" && MayTakeWhole(args.rois.shape[0], args.sampling_ratio, platform) ? 1 : 0;
  // Costs of regions are computed while the first tile of the map is loaded.
  const uint64_t regions =
      BytesOf(RoiSharesBuffers(platform.vector_cores)) + BytesOf(RoiRunsBuffers(t.whole));
  Platform beside_regions = platform;
  beside_regions.ub_bytes -= regions;
  const uint64_t images = PlanChannelsLast(args.input.shape, item, kRoiTaps, beside_regions, &t);
  BalanceTiles(item, platform, &t);
  TakeRuns(item, beside_regions, &t);
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
