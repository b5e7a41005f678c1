// SPDX-License-Identifier: Apache-2.0
// The tiling of boxes that are decided in bands (op_kernel/boxes/band_suppression.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/boxes/boxes_problem.h"
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_kernel/boxes/band_suppression_buffers.h"

namespace avo {

inline uint64_t BandBytes(const BoxesProblem &problem, int64_t band, int64_t rows, int64_t lanes,
                          int64_t cores) {
  return BytesOf(BandBuffers(band, rows, lanes, cores, problem.classes));
}

// Cycles of comparing tiles of so many rows, on the busiest core: those of each band with itself, and with
// the bands before it, of which half of the boxes are taken to be kept.
inline double CompareCycles(const BoxesProblem &problem, int64_t band, int64_t rows) {
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
inline int64_t BestRows(const BoxesProblem &problem, int64_t band, int64_t most) {
  int64_t best = most;
  for (int64_t rows = most - most % kLanes; rows >= kLanes; rows -= kGroupRows) {
    if (CompareCycles(problem, band, rows) < CompareCycles(problem, band, best)) best = rows;
  }
  return best;
}

// Finds the largest band beside which tiles of many rows fit. How many cores take part follows from these
// sizes; until then room for the masks of all cores is counted.
template <typename Tiling>
void PlanBands(const BoxesProblem &problem, const Platform &platform, Tiling *tiling) {
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

}  // namespace avo
