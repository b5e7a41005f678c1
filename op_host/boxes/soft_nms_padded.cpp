// SPDX-License-Identifier: Apache-2.0
// Tiling of SoftNmsPadded: whether one core holds all boxes, and how many a core holds at a time where not.
#include "op_host/soft_nms_padded_args.h"

#include <algorithm>

#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo::soft_nms_padded {
namespace {

constexpr uint64_t kGroup = kEntryGroup;
// Bytes of UB that a chunk leaves free, where it is not the smallest. They decide from how many boxes on all
// cores work: with them, one core of an Atlas A2 holds up to 3648 boxes.
constexpr uint64_t kFreeBytes = 8 * 1024;

struct Problem {
  uint64_t boxes, item, index;  // item: bytes of a score; index: bytes of an index
  uint64_t ub_bytes;

  uint64_t Bytes(uint64_t entries, bool streamed, bool pooled = false) const {
    return BytesOf(SoftNmsPaddedBuffers(entries, item, index, streamed, pooled));
  }

  // Most entries of a chunk.
  uint64_t Capacity(bool streamed) const {
    constexpr int64_t kMostGroups = 255;  // repeats of an instruction
    const uint64_t budget = ub_bytes - std::min(ub_bytes, kFreeBytes);
    const auto bytes = [&](int64_t groups) { return Bytes(groups * kGroup, streamed); };
    return kGroup * std::max<int64_t>(1, LargestFit(kMostGroups, budget, bytes));
  }
};

}  // namespace

Plan<SoftNmsPaddedTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  Plan<SoftNmsPaddedTiling> plan;
  SoftNmsPaddedTiling &tiling = plan.tiling;
  const Problem problem{static_cast<uint64_t>(args.boxes.shape[0]),
                        static_cast<uint64_t>(DTypeSize(args.boxes.dtype)),
                        static_cast<uint64_t>(DTypeSize(args.indices.dtype)), platform.ub_bytes};
  const uint64_t boxes = problem.boxes;
  uint64_t chunk = AlignUp(std::max<uint64_t>(boxes, 1), kGroup);
  // An odd number of groups: neighbouring planes then start in opposite halves of the banks.
  chunk += chunk % (2 * kGroup) == 0 ? kGroup : 0;
  const bool streamed = chunk > problem.Capacity(false);
  plan.tiling_key = streamed ? kStreamed : kResident;
  plan.block_dim = 1;
  tiling.chunks = 1;
  if (streamed) {
    chunk =
        std::min(AlignUp(CeilDiv<uint64_t>(boxes, platform.vector_cores), kGroup), problem.Capacity(true));
    tiling.chunks = static_cast<uint32_t>(CeilDiv(boxes, chunk));
    plan.block_dim = std::min(platform.vector_cores, tiling.chunks);
    plan.workspace = 4 * SharedTableLayout{tiling.chunks * chunk, tiling.chunks}.End();
  }
  tiling.sigma = static_cast<float>(args.sigma);
  tiling.minScore = static_cast<float>(args.min_score);
  // Pools need weights that are never NaN, and boxes with a score below 0 to be dropped.
  const bool falls = tiling.minScore > 0.0f && (args.method != 2 || tiling.sigma > 0.0f);
  const bool pooled =
      !streamed && falls && boxes > kPoolBoxes && problem.Bytes(chunk, streamed, true) <= platform.ub_bytes;
  if (pooled) plan.tiling_key = kPooled;
  plan.ub_bytes = problem.Bytes(chunk, streamed, pooled);
  if (plan.ub_bytes > platform.ub_bytes) ThrowUbTooSmall(platform, problem.Bytes(kGroup, streamed));
  tiling.boxes = static_cast<uint32_t>(boxes);
  tiling.chunk = static_cast<uint32_t>(chunk);
  tiling.method = static_cast<uint32_t>(args.method);
  tiling.offset = static_cast<float>(args.offset);
  tiling.iouThreshold = static_cast<float>(args.iou_threshold);
  return plan;
}

}  // namespace avo::soft_nms_padded
