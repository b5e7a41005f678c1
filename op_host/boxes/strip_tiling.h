// SPDX-License-Identifier: Apache-2.0
// The tiling of boxes that are decided all at once, in strips (op_kernel/boxes/strip_suppression.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "op_host/boxes/boxes_problem.h"
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_kernel/boxes/strip_buffers.h"

namespace avo {

// Bytes of UB of the phase that takes most of it, where boxes are decided in strips.
template <typename Tiling>
uint64_t StripBytes(const BoxesProblem &problem, const Tiling &tiling) {
  const StripSizes sizes = StripSizesOf(tiling, static_cast<uint64_t>(problem.item), problem.classes);
  return BytesOf(StripPlanesBuffers(sizes)) +
         std::max(BytesOf(LoadedBoxesBuffers(sizes)) + problem.Sort().Bytes(tiling.chunk, tiling.window),
                  BytesOf(StripBuffers(sizes)));
}

// Boxes that strips decide at once: all, or the better half of many.
inline int64_t StageBoxes(int64_t boxes) {
  constexpr int64_t kFewBoxes = 2560, kUnit = 256;
  return boxes > kFewBoxes ? AlignUp(CeilDiv<int64_t>(boxes, 2), kUnit) : boxes;
}

// Rows of a piece at most, and lanes, of which the first stage has strips of so many. Also fills the lanes
// that there is room for.
template <typename Tiling>
int64_t StageShare(const BoxesProblem &problem, int64_t lanes, Tiling *tiling) {
  constexpr int64_t kRectangleLanes = 256;
  const int64_t stage = StageBoxes(problem.boxes), whole = AlignUp(stage, kLanes);
  const auto share_of = [&](int64_t boxes, int64_t width) {
    return static_cast<int64_t>(StripShare(boxes, width, problem.cores));
  };
  int64_t share = share_of(whole, lanes);
  tiling->stage = static_cast<uint32_t>(stage);
  tiling->stripRoom = static_cast<uint32_t>(lanes);
  if (stage == problem.boxes) return share;
  tiling->stripRoom = static_cast<uint32_t>(std::max(lanes, kRectangleLanes));
  const int64_t strips = CeilDiv(stage, kRectangleLanes);
  if (strips > problem.cores) return 0;
  share = std::max(share, AlignUp<int64_t>(CeilDiv(stage, problem.cores / strips), kPieceRows));
  for (int64_t left = kLanes; left <= whole; left += kLanes) {
    share = std::max(share, share_of(left, LaterLanes(left)));
  }
  return share;
}

// Fills the fields of strips of so many lanes, of which a core compares so many rows, and returns whether
// they fit UB.
template <typename Tiling>
bool FitStrips(const BoxesProblem &problem, const Platform &platform, int64_t lanes, int64_t share,
               Tiling *tiling) {
  constexpr int64_t kMostRows = 240, kGoodRows = 64, kBank = 64 * 1024, kSortedLists = 16;
  tiling->strip = static_cast<uint32_t>(lanes);
  tiling->share = static_cast<uint32_t>(share);
  const int64_t chunk = AlignUp(CeilDiv(problem.boxes, kSortedLists), kLanes);
  tiling->chunk = static_cast<uint32_t>(chunk);
  tiling->chunks = static_cast<uint32_t>(CeilDiv(problem.boxes, chunk));
  // The windows hold the lists of the last merges, each from a data block on, and later what a fetch takes.
  constexpr int64_t kLists = kMergeLists, kPair = kPairBytes;
  const StripSizes sizes = StripSizesOf(*tiling, static_cast<uint64_t>(problem.item), problem.classes);
  const auto scratch = static_cast<int64_t>(LoadedBoxesBuffers::Scratch(sizes));
  const int64_t pairs = std::max(problem.boxes + kLists * kLists * kBlock / kPair, CeilDiv(scratch, kPair));
  tiling->window = static_cast<uint32_t>(AlignUp(CeilDiv(pairs, kLists), SortProblem::kWindows));
  const auto bytes = [&](int64_t groups) {
    tiling->stripRows = static_cast<uint32_t>(groups * kGroupRows);
    return StripBytes(problem, *tiling);
  };
  const int64_t most = std::min(kMostRows, share);
  for (const int64_t bank : {kBank, int64_t{1}}) {
    tiling->bank = static_cast<uint32_t>(bank);
    const int64_t fit = kGroupRows * LargestFit(most / kGroupRows, platform.ub_bytes, bytes);
    if (fit < std::min(kGoodRows, most)) continue;
    tiling->stripRows = static_cast<uint32_t>(AlignUp(CeilDiv(share, CeilDiv(share, fit)), kGroupRows));
    return true;
  }
  return false;
}

// Cycles of comparing the pairs of the busiest core, of answering some guesses, and of starting the cores.
template <typename Tiling>
double StripCycles(const Tiling &tiling, int64_t cores) {
  constexpr double kRowCycles = 12, kTileCycles = 255, kColumnCycles = 150, kGuesses = 7, kStart = 24,
                   kCoreCycles = 77;
  const double groups = tiling.strip / static_cast<double>(kLanes), rows = tiling.share;
  const double tiles = std::ceil(rows / tiling.stripRows);
  const double words = 3 * groups * (kStart + rows / static_cast<double>(kLanes));
  return groups * (tiles * kTileCycles + rows * kRowCycles) + tiles * kColumnCycles + kGuesses * words +
         kCoreCycles * static_cast<double>(cores);
}

// Plans to decide all boxes at once, in strips. Returns on how many cores; 0 where the boxes are too many.
template <typename Tiling>
int64_t PlanStrips(const BoxesProblem &problem, const Platform &platform, Tiling *tiling) {
  constexpr int64_t kMostBoxes = 4096, kMostGroups = 8, kMostStrips = 32, kShares = 8, kRows = kPieceRows;
  if (!problem.sorts || problem.boxes > kMostBoxes) return 0;
  const int64_t stage = StageBoxes(problem.boxes), whole = AlignUp(stage, kLanes);
  const int64_t most = std::min(kMostStrips, problem.cores);
  Tiling best = *tiling;
  int64_t cores = 0;
  for (int64_t lanes = kLanes; lanes <= kMostGroups * kLanes; lanes += kLanes) {
    if (CeilDiv(stage, lanes) > most) continue;
    Tiling plan = *tiling;
    const int64_t least = StageShare(problem, lanes, &plan);
    if (least == 0) continue;
    // All cores compare boxes of the worse half.
    const int64_t shares = stage < problem.boxes ? 1 : kShares;
    for (int64_t extra = 0; extra < shares; ++extra) {
      const int64_t share = std::min(least + extra * kRows, whole);
      if (!FitStrips(problem, platform, lanes, share, &plan)) break;
      const auto pieces =
          stage < problem.boxes ? problem.cores : static_cast<int64_t>(StripPieces(whole, lanes, share));
      if (cores > 0 && StripCycles(plan, pieces) >= StripCycles(best, cores)) continue;
      best = plan;
      cores = pieces;
    }
  }
  if (cores == 0) return 0;
  *tiling = best;
  return std::clamp(CeilDiv<int64_t>(best.outputs, 16 * 1024), cores, problem.cores);
}

}  // namespace avo
