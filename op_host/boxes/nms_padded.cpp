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

#include "op_host/boxes/sort_tiling.h"
#include "op_kernel/boxes/band_suppression_buffers.h"
#include "op_kernel/boxes/sorted_boxes_buffers.h"
#include "op_kernel/boxes/strip_buffers.h"

namespace avo::nms_padded {
namespace {

constexpr int64_t kBlock = 32;     // bytes of a data block
constexpr int64_t kLanes = 64;     // boxes of a word
constexpr int64_t kGroupRows = 8;  // rows that one repeat of Brcb spreads

struct Problem {
  int64_t boxes, item;  // item: bytes of a score or corner
  bool classes;
  bool sorts;  // whether the kernel sorts and fetches boxes: there are some, and some are wanted
  int64_t cores;

  SortProblem Sort() const { return {boxes, item}; }
};

uint64_t FetchBytes(const Problem &problem, int64_t groups) {
  return BytesOf(SortedBoxesBuffers(groups * kGroupRows, problem.item, problem.classes));
}

uint64_t BandBytes(const Problem &problem, int64_t band, int64_t rows, int64_t lanes, int64_t cores) {
  return BytesOf(BandBuffers(band, rows, lanes, cores, problem.classes));
}

// Bytes of UB that the smallest sizes of all three phases take.
uint64_t LeastBytes(const Problem &problem) {
  return std::max({problem.boxes > 0 ? problem.Sort().LeastBytes() : 0, FetchBytes(problem, 1),
                   BandBytes(problem, kLanes, kGroupRows, kLanes, problem.cores)});
}

void PlanFetch(const Problem &problem, const Platform &platform, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostGroups = 8;
  const auto bytes = [&](int64_t groups) { return FetchBytes(problem, groups); };
  const int64_t fit = kGroupRows * LargestFit(kMostGroups, platform.ub_bytes, bytes);
  // All cores fetch as many boxes.
  const int64_t rounds = CeilDiv(std::max<int64_t>(problem.boxes, 1), problem.cores * fit);
  const int64_t share = CeilDiv(std::max<int64_t>(problem.boxes, 1), problem.cores * rounds);
  tiling->tile = static_cast<uint32_t>(std::min(fit, AlignUp(share, kGroupRows)));
}

// Cycles of comparing tiles of so many rows, on the busiest core: those of each band with itself, and with
// the bands before it, of which half of the boxes are taken to be kept.
double CompareCycles(const Problem &problem, int64_t band, int64_t rows) {
  constexpr double kRowCycles = 17, kTileCycles = 300;
  double tiles = 0;
  for (int64_t begin = 0; begin < problem.boxes; begin += band) {
    const int64_t whole = AlignUp(std::min(band, problem.boxes - begin), kLanes);
    int64_t within = 0;
    for (int64_t row = 0; row < whole; row += rows) within += CeilDiv(std::min(whole, row + rows), kLanes);
    const int64_t kept = CeilDiv(whole, rows) * CeilDiv(begin / 2, kLanes);
    tiles += static_cast<double>(CeilDiv(within, problem.cores) + CeilDiv(kept, problem.cores));
  }
  return tiles * (kTileCycles + kRowCycles * static_cast<double>(rows));
}

// The rows of a tile, of at most `most`, with which all cores compare as long.
int64_t BestRows(const Problem &problem, int64_t band, int64_t most) {
  int64_t best = most;
  for (int64_t rows = most - most % kLanes; rows >= kLanes; rows -= kGroupRows) {
    if (CompareCycles(problem, band, rows) < CompareCycles(problem, band, best)) best = rows;
  }
  return best;
}

// Finds the largest band beside which tiles of many rows fit. How many cores take part follows from these
// sizes; until then room for the masks of all cores is counted.
void PlanBands(const Problem &problem, const Platform &platform, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostBand = 1024, kMostRows = 240, kGoodRows = 64, kMostLanes = 256;
  int64_t band = std::min(kMostBand, AlignUp(std::max<int64_t>(problem.boxes, 1), kLanes));
  int64_t lanes = kMostLanes, rows = 0;
  for (;; band = AlignUp(band / 2, kLanes), lanes = kLanes) {
    const auto bytes = [&](int64_t groups) {
      return BandBytes(problem, band, groups * kGroupRows, lanes, problem.cores);
    };
    rows = kGroupRows * LargestFit(std::min(kMostRows, band) / kGroupRows, platform.ub_bytes, bytes);
    if (rows >= std::min(kGoodRows, band) || (band == kLanes && lanes == kLanes)) break;
  }
  tiling->band = static_cast<uint32_t>(band);
  tiling->rows = static_cast<uint32_t>(BestRows(problem, band, rows));
  tiling->lanes = static_cast<uint32_t>(lanes);
}

StripSizes SizesOf(const Problem &problem, const NmsPaddedTiling &tiling) {
  return {static_cast<uint64_t>(problem.boxes),
          static_cast<uint64_t>(problem.item),
          tiling.strip,
          tiling.share,
          tiling.stripRows,
          tiling.bank,
          problem.classes};
}

// Bytes of UB of the phase that takes most of it, where boxes are decided in strips.
uint64_t StripBytes(const Problem &problem, const NmsPaddedTiling &tiling) {
  const StripSizes sizes = SizesOf(problem, tiling);
  return BytesOf(StripPlanesBuffers(sizes)) +
         std::max(BytesOf(LoadedBoxesBuffers(sizes)) + problem.Sort().Bytes(tiling.chunk, tiling.window),
                  BytesOf(StripBuffers(sizes)));
}

// Fills the fields of strips of so many lanes, of which a core compares so many rows, and returns whether
// they fit UB.
bool FitStrips(const Problem &problem, const Platform &platform, int64_t lanes, int64_t share,
               NmsPaddedTiling *tiling) {
  constexpr int64_t kMostRows = 240, kGoodRows = 64, kBank = 64 * 1024, kSortedLists = 16;
  tiling->strip = static_cast<uint32_t>(lanes);
  tiling->share = static_cast<uint32_t>(share);
  const int64_t chunk = AlignUp(CeilDiv(problem.boxes, kSortedLists), kLanes);
  tiling->chunk = static_cast<uint32_t>(chunk);
  tiling->chunks = static_cast<uint32_t>(CeilDiv(problem.boxes, chunk));
  // The windows hold the lists of the last merges, each from a data block on, and later what a fetch takes.
  constexpr int64_t kLists = kMergeLists, kPair = kPairBytes;
  const auto scratch = static_cast<int64_t>(LoadedBoxesBuffers::Scratch(SizesOf(problem, *tiling)));
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
double StripCycles(const NmsPaddedTiling &tiling, int64_t cores) {
  constexpr double kRowCycles = 12, kTileCycles = 255, kColumnCycles = 150, kGuesses = 7, kStart = 24,
                   kCoreCycles = 77;
  const double groups = tiling.strip / static_cast<double>(kLanes), rows = tiling.share;
  const double tiles = std::ceil(rows / tiling.stripRows);
  const double words = 3 * groups * (kStart + rows / static_cast<double>(kLanes));
  return groups * (tiles * kTileCycles + rows * kRowCycles) + tiles * kColumnCycles + kGuesses * words +
         kCoreCycles * static_cast<double>(cores);
}

// Plans to decide all boxes at once, in strips. Returns on how many cores; 0 where the boxes are too many.
int64_t PlanStrips(const Problem &problem, const Platform &platform, NmsPaddedTiling *tiling) {
  constexpr int64_t kMostBoxes = 4096, kMostGroups = 8, kMostStrips = 32, kShares = 8;
  if (!problem.sorts || problem.boxes > kMostBoxes) return 0;
  const int64_t whole = AlignUp(problem.boxes, kLanes), most = std::min(kMostStrips, problem.cores);
  NmsPaddedTiling best = *tiling;
  int64_t cores = 0;
  for (int64_t lanes = kLanes; lanes <= kMostGroups * kLanes; lanes += kLanes) {
    if (CeilDiv(problem.boxes, lanes) > most) continue;
    const auto least = static_cast<int64_t>(StripShare(whole, lanes, problem.cores));
    for (int64_t extra = 0; extra < kShares; ++extra) {
      const auto units = static_cast<int64_t>(kPieceRows);
      const int64_t share = std::min(least + extra * units, whole);
      NmsPaddedTiling plan = *tiling;
      if (!FitStrips(problem, platform, lanes, share, &plan)) break;
      const auto pieces = static_cast<int64_t>(StripPieces(whole, lanes, share));
      if (cores > 0 && StripCycles(plan, pieces) >= StripCycles(best, cores)) continue;
      best = plan;
      cores = pieces;
    }
  }
  if (cores > 0) *tiling = best;
  return cores == 0 ? 0 : std::clamp(CeilDiv<int64_t>(best.outputs, 16 * 1024), cores, problem.cores);
}

// Boxes that the first round decides: some times those that are wanted, unless that is most of all boxes.
int64_t BestBoxes(const NmsPaddedTiling &tiling) {
  constexpr int64_t kDecidedForOneKept = 4, kLeast = 2048;
  if (tiling.most > tiling.boxes / kDecidedForOneKept) return tiling.boxes;
  const int64_t best = AlignUp<int64_t>(std::max(kLeast, kDecidedForOneKept * tiling.most), tiling.band);
  return 2 * best <= tiling.boxes ? best : tiling.boxes;
}

// Cores that have something to do: tiles of the first band, or indices of the result to fill with -1.
int64_t Blocks(const Problem &problem, const NmsPaddedTiling &tiling) {
  const int64_t whole = AlignUp(std::min<int64_t>(problem.boxes, tiling.band), kLanes);
  int64_t tiles = 0;
  for (int64_t row = 0; row < whole; row += tiling.rows) {
    tiles += CeilDiv(std::min<int64_t>(whole, row + tiling.rows), kLanes);
  }
  tiles = std::max(tiles, CeilDiv<int64_t>(tiling.outputs, tiling.rows * kLanes));
  return std::clamp<int64_t>(tiles, 1, problem.cores);
}

// Places the pieces of the workspace one behind the other and returns their bytes.
uint64_t PlanWorkspace(const Problem &problem, int64_t blocks, NmsPaddedTiling *tiling) {
  constexpr int64_t kLine = 512;  // each piece starts at a multiple of this many bytes
  uint64_t end = 0;
  const auto place = [&end](int64_t *start, int64_t bytes) {
    *start = static_cast<int64_t>(end);
    end += AlignUp(bytes, kLine);
  };
  constexpr int64_t kPair = kPairBytes, kSides = 2;
  const int64_t band = tiling->band, planes = SortedPlanesOf(problem.classes);
  tiling->pitch = AlignUp(problem.boxes, 2 * kLanes);
  // The kept boxes of each band start at a multiple of 64 lanes.
  tiling->keptPitch = AlignUp(problem.boxes, kLanes) + kLanes * CeilDiv(problem.boxes, band);
  place(&tiling->runs, 2 * static_cast<int64_t>(tiling->chunks) * tiling->chunk * kPair);
  place(&tiling->merged, 2 * problem.boxes * kPair);
  place(&tiling->lengths, 2 * static_cast<int64_t>(tiling->chunks) * 4);
  place(&tiling->sorted, planes * tiling->pitch * 4);
  place(&tiling->kept, planes * tiling->keptPitch * 4);
  place(&tiling->masks, blocks * band / 8);
  place(&tiling->words, band / kLanes * band * 8);
  place(&tiling->state, kBlock);
  if (tiling->strip > 0) {
    const StripSizes sizes = SizesOf(problem, *tiling);
    place(&tiling->guesses, kSides * static_cast<int64_t>(sizes.Strips() * sizes.GuessBytes()));
  }
  return end;
}

// Bytes of UB of the phase that takes most of it, on `blocks` cores.
uint64_t MostBytes(const Problem &problem, const NmsPaddedTiling &tiling, int64_t blocks) {
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
  tiling.scoreThreshold = static_cast<float>(args.score_threshold);
  tiling.offset = static_cast<float>(args.offset);
  tiling.filter = args.score_threshold > 0 ? 1 : 0;
  const Problem problem{tiling.boxes, DTypeSize(args.boxes.dtype), args.idxs.has_value(),
                        tiling.boxes > 0 && tiling.most > 0, platform.vector_cores};
  if (LeastBytes(problem) > platform.ub_bytes) ThrowUbTooSmall(platform, LeastBytes(problem));
  if (problem.boxes > 0) PlanScoreSort(problem.Sort(), platform, &tiling);
  plan.tiling_key = problem.classes ? kClasses : kOneClass;
  PlanFetch(problem, platform, &tiling);
  PlanBands(problem, platform, &tiling);
  tiling.best = BestBoxes(tiling);
  plan.block_dim = static_cast<uint32_t>(PlanStrips(problem, platform, &tiling));
  if (plan.block_dim > 0) plan.ub_bytes = StripBytes(problem, tiling);
  if (plan.block_dim == 0) plan.block_dim = static_cast<uint32_t>(Blocks(problem, tiling));
  plan.ub_bytes = std::max(plan.ub_bytes, MostBytes(problem, tiling, plan.block_dim));
  plan.workspace = PlanWorkspace(problem, plan.block_dim, &tiling);
  return plan;
}

}  // namespace avo::nms_padded
