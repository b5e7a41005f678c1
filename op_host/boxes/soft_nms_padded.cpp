// SPDX-License-Identifier: Apache-2.0
// Tiling of SoftNms.
#include "op_host/soft_nms_padded_args.h"

#include "op_host/common/tiling/math.h"

namespace avo::soft_nms_padded {
namespace {

constexpr uint64_t kGroup = 64;              // slots of a repeat
constexpr uint64_t kSharedPlanes = 11;       // in GM: fields of all boxes, and records of half of them
constexpr uint64_t kSlotBytes = 12 * 4;      // all planes of the Unified Buffer
constexpr uint64_t kBatchBytes = 20 * 1024;  // batches of input and results, records and patterns
constexpr uint64_t kBoardBytes = 6 * 1024;   // streamed: posts of other cores
constexpr uint64_t kPost = 24;               // elements of a post

// Slots that fit the Unified Buffer beside `others`; each has a bit in a mask too.
uint64_t Capacity(const Platform &platform, uint64_t others) {
  return std::max(
      kGroup, AlignDown((platform.ub_bytes - std::min(platform.ub_bytes, others)) * 8 / (8 * kSlotBytes + 1),
                        kGroup));
}

}  // namespace

Plan<SoftNmsPaddedTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<SoftNmsPaddedTiling> plan;
  SoftNmsPaddedTiling &tiling = plan.tiling;
  const uint64_t boxes = static_cast<uint64_t>(args.boxes.shape[0]);
  uint64_t chunk = AlignUp(std::max<uint64_t>(boxes, 1), kGroup);
  // An odd number of repeats: neighbouring planes then start in opposite halves of the banks.
  chunk += chunk % (2 * kGroup) == 0 ? kGroup : 0;
  plan.tiling_key = kResident;
  plan.block_dim = 1;
  tiling.chunks = 1;
  if (chunk > Capacity(platform, kBatchBytes)) {
    chunk = std::min(AlignUp(CeilDiv<uint64_t>(boxes, platform.vector_cores), kGroup),
                     Capacity(platform, kBatchBytes + kBoardBytes));
    tiling.chunks = static_cast<uint32_t>(CeilDiv(boxes, chunk));
    plan.tiling_key = kStreamed;
    plan.block_dim = std::min(platform.vector_cores, tiling.chunks);
    plan.workspace = 4 * (tiling.chunks * chunk * kSharedPlanes + 2 * kPost * tiling.chunks);
  }
  tiling.boxes = static_cast<uint32_t>(boxes);
  tiling.chunk = static_cast<uint32_t>(chunk);
  tiling.method = static_cast<uint32_t>(args.method);
  tiling.offset = static_cast<float>(args.offset);
  tiling.iouThreshold = static_cast<float>(args.iou_threshold);
  tiling.sigma = static_cast<float>(args.sigma);
  tiling.minScore = static_cast<float>(args.min_score);
  return plan;
}

}  // namespace avo::soft_nms_padded
