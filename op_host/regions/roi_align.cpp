// SPDX-License-Identifier: Apache-2.0
// Tiling of RoiAlign.
#include "op_host/roi_align_args.h"

#include "op_host/common/tiling/channels_last.h"
#include "op_host/regions/roi_tiling.h"

namespace avo::roi_align {

Plan<RoiAlignTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<RoiAlignTiling> plan;
  RoiAlignTiling &tiling = plan.tiling;
  if (args.out.numel() == 0) return plan;
  const int64_t item = DTypeSize(args.input.dtype);
  tiling.costs = static_cast<int64_t>(AlignUp<uint64_t>(
      PlanChannelsLast(args.input.shape, item, kRoiTaps, platform, &tiling), kRoiAlignment));
  SetRegions(args.rois, args.output_height, args.output_width, args.spatial_scale, args.sampling_ratio,
             args.aligned && !args.batch_indices, args.mode, &tiling);
  PlanSamples(item, platform, &tiling);
  plan.block_dim = platform.vector_cores;
  plan.workspace = static_cast<uint64_t>(tiling.costs) + RoiCostBytes(tiling.rois, platform.vector_cores);
  plan.tiling_key = kSamples;
  return plan;
}

}  // namespace avo::roi_align
