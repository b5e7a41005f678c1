// SPDX-License-Identifier: Apache-2.0
// Tiling of SoftNms.
#include "op_host/soft_nms_padded_args.h"

#include "common/math.h"

namespace avo::soft_nms_padded {

Plan<SoftNmsPaddedTiling> ComputeTiling(const Args &args, const Platform &platform) {
  constexpr uint64_t kGroup = 64;
  Plan<SoftNmsPaddedTiling> plan;
  SoftNmsPaddedTiling &tiling = plan.tiling;
  const int64_t boxes = args.boxes.shape[0];
  tiling.boxes = static_cast<uint32_t>(boxes);
  tiling.chunk = static_cast<uint32_t>(AlignUp<uint64_t>(std::max<int64_t>(boxes, 1), kGroup));
  tiling.chunks = 1;
  tiling.method = static_cast<uint32_t>(args.method);
  tiling.offset = static_cast<float>(args.offset);
  tiling.iouThreshold = static_cast<float>(args.iou_threshold);
  tiling.sigma = static_cast<float>(args.sigma);
  tiling.minScore = static_cast<float>(args.min_score);
  plan.block_dim = 1;
  plan.tiling_key = kResident;
  (void)platform;
  return plan;
}

}  // namespace avo::soft_nms_padded
