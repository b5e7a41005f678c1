// SPDX-License-Identifier: Apache-2.0
// Tiling of NmsPadded: chunks to sort, tiles to gather, bands to decide, each as large as the Unified Buffer
// takes them.
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <stdexcept>

#include "op_host/boxes/sort_tiling.h"

namespace avo::nms_padded {
namespace {

constexpr int64_t kBlock = 32;     // bytes of a data block
constexpr int64_t kLanes = 64;     // boxes of a word
constexpr int64_t kGroupRows = 8;  // rows that Brcb spreads at once

struct Problem {
  int64_t boxes, item, planes, compared;  // item: bytes of an element; planes of a box, and those compared
  uint64_t ub_bytes;
  int64_t cores;
};

void PlanGather(const Problem &problem, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostTiles = 8;
  const bool classes = problem.planes > 6;
  const auto bytes = [&](int64_t groups) {
    return groups * kGroupRows *
               (kPairBytes + kBlock * (classes ? 2 : 1) + problem.item + 4 + 4 * problem.planes) +
           6 * kBlock + kBlock;
  };
  const int64_t groups = LargestFit(kMostTiles, problem.ub_bytes, bytes);
  tiling->tile = static_cast<uint32_t>(groups * kGroupRows);
}

void PlanBands(const Problem &problem, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostBand = 1024, kMostRows = 240, kGoodRows = 64, kMostLanes = 256;
  const auto bytes = [&](int64_t band, int64_t rows, int64_t lanes) {
    return rows * 3 * kLanes * 4 + 2 * problem.planes * band * 4 + rows * problem.compared * kBlock +
           2 * problem.planes * lanes * 4 + 2 * AlignUp(rows * 8, kBlock) + AlignUp(rows * 8, kBlock) +
           band * 8 + AlignUp((problem.cores * band + kLanes) / 8, kBlock) + 256 + 3 * kLanes * 8 +
           2 * kBlock;
  };
  int64_t band = std::min(kMostBand, AlignUp(std::max<int64_t>(problem.boxes, 1), kLanes));
  int64_t lanes = kMostLanes, rows = 0;
  for (;; band = AlignUp(band / 2, kLanes), lanes = kLanes) {
    const int64_t most = std::min(kMostRows, band) / kGroupRows;
    rows = kGroupRows * LargestFit(most, problem.ub_bytes,
                                   [&](int64_t groups) { return bytes(band, groups * kGroupRows, lanes); });
    if (rows >= std::min(kGoodRows, band) || band == kLanes) break;
  }
  // Words of a band take the room of a tile.
  if (rows * 32 < band) throw std::invalid_argument("nms_padded: the Unified Buffer is too small for a band");
  tiling->band = static_cast<uint32_t>(band);
  tiling->rows = static_cast<uint32_t>(rows);
  tiling->lanes = static_cast<uint32_t>(lanes);
}

// Blocks that have something to do: tiles of the first band, or of the result's rest.
int64_t Blocks(const Problem &problem, const NmsPaddedTiling &tiling) {
  const int64_t whole = AlignUp(std::min<int64_t>(problem.boxes, tiling.band), kLanes);
  int64_t tiles = 0;
  for (int64_t row = 0; row < whole; row += tiling.rows) {
    tiles += CeilDiv(std::min<int64_t>(whole, row + tiling.rows), kLanes);
  }
  tiles = std::max(tiles, CeilDiv<int64_t>(tiling.outputs, tiling.rows * kLanes));
  return std::clamp<int64_t>(tiles, 1, problem.cores);
}

// Room in the workspace, one piece behind the other.
uint64_t PlanWorkspace(const Problem &problem, int64_t blocks, NmsPaddedTiling *tiling) {
  constexpr int64_t kLine = 512;
  uint64_t end = 0;
  const auto place = [&end](int64_t *start, int64_t bytes) {
    *start = static_cast<int64_t>(end);
    end += AlignUp(bytes, kLine);
  };
  const int64_t band = tiling->band;
  tiling->pitch = AlignUp(problem.boxes, 2 * kLanes);
  // Each band's kept boxes start a new word.
  tiling->keptPitch = AlignUp(problem.boxes, kLanes) + kLanes * CeilDiv(problem.boxes, band);
  place(&tiling->runs, 2 * static_cast<int64_t>(tiling->chunks) * tiling->chunk * kPairBytes);
  place(&tiling->merged, problem.boxes * kPairBytes);
  place(&tiling->lengths, 2 * static_cast<int64_t>(tiling->chunks) * 4);
  place(&tiling->sorted, problem.planes * tiling->pitch * 4);
  place(&tiling->kept, problem.planes * tiling->keptPitch * 4);
  place(&tiling->masks, blocks * band / 8);
  place(&tiling->words, band / kLanes * band * 8);
  place(&tiling->state, kBlock);
  return end;
}

}  // namespace

Plan<NmsPaddedTiling> ComputeTiling(const Args &args, const Platform &platform) {
  Plan<NmsPaddedTiling> plan;
  NmsPaddedTiling &tiling = plan.tiling;
  const bool classes = args.idxs.has_value();
  const Problem problem{args.boxes.shape[0], DTypeSize(args.boxes.dtype), classes ? 8 : 6,
                        classes ? 7 : 5,     platform.ub_bytes,           platform.vector_cores};
  tiling.boxes = problem.boxes;
  tiling.outputs = args.indices.shape[0];
  tiling.most = args.max_num > 0 ? std::min(tiling.outputs, args.max_num) : tiling.outputs;
  tiling.iouThreshold = static_cast<float>(args.iou_threshold);
  tiling.scoreThreshold = static_cast<float>(args.score_threshold);
  tiling.offset = static_cast<float>(args.offset);
  tiling.filter = args.score_threshold > 0 ? 1 : 0;
  if (problem.boxes > 0) PlanScoreSort(problem.boxes, problem.item, platform, &tiling);
  PlanGather(problem, &tiling);
  PlanBands(problem, &tiling);
  plan.tiling_key = classes ? kClasses : kOneClass;
  plan.block_dim = static_cast<uint32_t>(Blocks(problem, tiling));
  plan.workspace = PlanWorkspace(problem, plan.block_dim, &tiling);
  return plan;
}

}  // namespace avo::nms_padded
