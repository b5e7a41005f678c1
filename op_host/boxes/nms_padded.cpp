// SPDX-License-Identifier: Apache-2.0
// Tiling of NmsPadded: the sizes of three phases, each of which has the whole UB for itself. Scores are
// sorted in chunks, boxes are fetched in tiles, and boxes are decided in bands.
//
// Up to some thousand boxes are decided in strips where these fit; bands are planned too, for chains of boxes
// that take too many steps.
//
// Budget: 225 lines of code, because it plans two algorithms.
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <cmath>

#include "op_host/boxes/band_tiling.h"
#include "op_host/boxes/boxes_workspace.h"
#include "op_host/boxes/strip_tiling.h"
#include "op_kernel/boxes/sorted_boxes_buffers.h"

namespace avo::nms_padded {
namespace {

uint64_t FetchBytes(const BoxesProblem &problem, int64_t groups) {
  return BytesOf(SortedBoxesBuffers(groups * kGroupRows, problem.item, problem.classes));
}

// Bytes of UB that the smallest sizes of all three phases take.
uint64_t LeastBytes(const BoxesProblem &problem) {
  return std::max({problem.boxes > 0 ? problem.Sort().LeastBytes() : 0, FetchBytes(problem, 1),
                   BandBytes(problem, kLanes, kGroupRows, kLanes, problem.cores)});
}

void PlanFetch(const BoxesProblem &problem, const Platform &platform, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostGroups = 8;
  const auto bytes = [&](int64_t groups) { return FetchBytes(problem, groups); };
  const int64_t fit = kGroupRows * LargestFit(kMostGroups, platform.ub_bytes, bytes);
  // All cores fetch as many boxes.
  const int64_t rounds = CeilDiv(std::max<int64_t>(problem.boxes, 1), problem.cores * fit);
  const int64_t share = CeilDiv(std::max<int64_t>(problem.boxes, 1), problem.cores * rounds);
  tiling->tile = static_cast<uint32_t>(std::min(fit, AlignUp(share, kGroupRows)));
}

// Returns 1 / threshold where the threshold is 1/2, 1/4, 1/8, …, and 0 elsewhere.
float RatioOf(float threshold) {
  int exponent = 0;
  const bool is_power = std::frexp(threshold, &exponent) == 0.5f;
  return is_power && exponent <= 0 && exponent > -64 ? 1.0f / threshold : 0.0f;
}

// Boxes that the first round decides: some times those that are wanted, unless that is most of all boxes.
int64_t BestBoxes(const NmsPaddedTiling &tiling) {
  constexpr int64_t kDecidedForOneKept = 4, kLeast = 2048;
  if (tiling.most > tiling.boxes / kDecidedForOneKept) return tiling.boxes;
  const int64_t best = AlignUp<int64_t>(std::max(kLeast, kDecidedForOneKept * tiling.most), tiling.band);
  return 2 * best <= tiling.boxes ? best : tiling.boxes;
}

// Cores that have something to do: tiles of the first band, or indices of the result to fill with -1.
int64_t Blocks(const BoxesProblem &problem, const NmsPaddedTiling &tiling) {
  const int64_t whole = AlignUp(std::min<int64_t>(problem.boxes, tiling.band), kLanes);
  int64_t tiles = 0;
  for (int64_t row = 0; row < whole; row += tiling.rows) {
    tiles += CeilDiv(std::min<int64_t>(whole, row + tiling.rows), kLanes);
  }
  tiles = std::max(tiles, CeilDiv<int64_t>(tiling.outputs, tiling.rows * kLanes));
  return std::clamp<int64_t>(tiles, 1, problem.cores);
}

// Bytes of UB of the phase that takes most of it, on `blocks` cores.
uint64_t MostBytes(const BoxesProblem &problem, const NmsPaddedTiling &tiling, int64_t blocks) {
  const uint64_t bands = BandBytes(problem, tiling.band, tiling.rows, tiling.lanes, blocks);
  if (!problem.sorts) return bands;
  return std::max({problem.Sort().Bytes(tiling.chunk, tiling.window),
                   FetchBytes(problem, tiling.tile / kGroupRows), bands});
}

}  // namespace

Plan<NmsPaddedTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<NmsPaddedTiling> plan;
  NmsPaddedTiling &tiling = plan.tiling;
  tiling.boxes = args.boxes.shape[0];
  tiling.outputs = args.indices.shape[0];
  tiling.most = args.max_num > 0 ? std::min(tiling.outputs, args.max_num) : tiling.outputs;
  tiling.iouThreshold = static_cast<float>(args.iou_threshold);
  tiling.ratio = RatioOf(tiling.iouThreshold);
  tiling.scoreThreshold = static_cast<float>(args.score_threshold);
  tiling.offset = static_cast<float>(args.offset);
  tiling.filter = args.score_threshold > 0 ? 1 : 0;
  const BoxesProblem problem{tiling.boxes, DTypeSize(args.boxes.dtype), args.idxs.has_value(),
                             tiling.boxes > 0 && tiling.most > 0, platform.vector_cores};
  if (LeastBytes(problem) > platform.ub_bytes) ThrowUbTooSmall(platform, LeastBytes(problem));
  if (problem.boxes > 0) PlanScoreSort(problem.Sort(), platform, &tiling);
  plan.tiling_key = problem.classes ? kClasses : kOneClass;
  PlanFetch(problem, platform, &tiling);
  PlanBands(problem, platform, &tiling);
  tiling.best = BestBoxes(tiling);
  plan.block_dim = static_cast<uint32_t>(PlanStrips(problem, platform, &tiling));
  if (plan.block_dim > 0) {
    plan.ub_bytes = StripBytes(problem, tiling);
  } else {
    plan.block_dim = static_cast<uint32_t>(Blocks(problem, tiling));
  }
  plan.ub_bytes = std::max(plan.ub_bytes, MostBytes(problem, tiling, plan.block_dim));
  plan.workspace = PlanWorkspace(problem, plan.block_dim, &tiling);
  return plan;
}

}  // namespace avo::nms_padded
