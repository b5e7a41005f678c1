// SPDX-License-Identifier: Apache-2.0
// The search for the cut of a scan that fits the Unified Buffer and takes the least modelled cycles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/tile_search.h"
#include "op_host/scan/copy_limits.h"
#include "op_host/scan/scan_cycles.h"

namespace avo {

// Bytes: a function (const ScanProblem &, const ScanCut &) that gives the bytes of UB which a cut takes.
template <typename Bytes>
class ScanSearch {
 public:
  ScanSearch(const ScanProblem &problem, Bytes bytes) : problem_(problem), bytes_(bytes) {}

  // The best cut; one of 0 positions where none fits.
  ScanCut Find() {
    if (problem_.rows) {
      TryRows();
    } else {
      TryColumns();
    }
    return best_;
  }

 private:
  void TryRows() {
    constexpr int64_t kMaxRows = 1024, kMaxTransposedParts = 8;
    constexpr int64_t kLanes = ScanLayout::kTransposed;
    // Rows whose gap is too long for a copy go one by one, and nothing else is tried then.
    if (ExceedsCopyGap(problem_.length * problem_.item)) Try(1, 1, 0);
    for (int64_t rows = kLanes; best_.slices != 1 && rows <= kMaxRows; rows += kLanes) {
      Try(rows, 1, 0);
      if (rows >= problem_.outer) break;
    }
    for (int64_t parts = 1; parts <= kMaxTransposedParts; ++parts) TryParts(parts * kLanes, 1);
  }

  void TryColumns() {
    constexpr int64_t kMaxColumns = 8192, kMaxParts = 128, kKeyBlock = ScanLayout::kKeyBlock;
    constexpr int64_t kGranuleBytes = 512;  // what global memory moves at full speed
    const int64_t granule = kGranuleBytes / problem_.item, cores = problem_.platform.vector_cores;
    const int64_t inner = problem_.inner;
    const int64_t fewest = CeilDiv(inner, kMaxColumns);
    const bool aligned = inner % granule == 0;
    const int64_t most = std::min(CeilDiv(inner, aligned ? granule : granule / 2), fewest + 2 * cores);
    for (int64_t tiles = fewest; tiles <= std::max(fewest, most); ++tiles) {
      const int64_t columns = CeilDiv(inner, tiles);
      TryTilesOf(tiles > 1 ? std::min(AlignUp(columns, granule), inner) : columns);
      // Where no row begins on a whole line of global memory, no tile has to either.
      if (!aligned) TryTilesOf(std::min(AlignUp(columns, kKeyBlock), inner));
    }
    for (const int64_t columns : {inner, granule, 2 * granule, 4 * granule}) {
      for (int64_t parts = 1; parts <= kMaxParts && columns <= inner; parts *= 2) TryParts(parts, columns);
    }
    // A Unified Buffer that is too small for all of these takes a few elements at a time.
    for (int64_t few = granule; best_.positions == 0 && few > 0; few /= 2) Try(1, std::min(few, inner), 0);
  }

  // Tries whole lines of so many columns, and all numbers of slices.
  void TryTilesOf(int64_t columns) {
    constexpr int64_t kMaxSlices = 1024;
    for (int64_t slices = 1; slices <= kMaxSlices; slices *= 2) {
      Try(std::min(slices, problem_.outer), columns, 0);
      if (slices >= problem_.outer) break;
    }
  }

  // Tries lines in parts where whole lines would leave cores or lanes idle: one tile for each line, or as
  // many tiles as cores, or twice that.
  void TryParts(int64_t slices, int64_t columns) {
    const int64_t cores = problem_.platform.vector_cores, lanes = ScanLayout::kTransposed;
    const int64_t lines = problem_.outer * CeilDiv(problem_.inner, columns);
    if (!problem_.running || lines > cores * lanes) return;
    for (const int64_t tiles : {lines, cores, 2 * cores}) {
      if (tiles >= lines) Try(slices, columns, tiles / lines);
    }
  }

  // Keeps a cut if it fits and takes fewer cycles than the best so far.
  void Try(int64_t slices, int64_t columns, int64_t groups) {
    ScanCut cut{slices, columns, 0, 0, groups, problem_.length};
    if (groups > 0 && !CutLines(&cut)) return;
    cut.positions = MostPositions(cut);
    if (cut.positions == 0) return;
    cut.run = RunLength(cut);
    if (cut.groups > 0 && !PartsFit(cut)) return;
    const double cycles = ScanCost(problem_, cut).Cycles();
    if (best_.positions > 0 && cycles >= best_cycles_) return;
    best_ = cut;
    best_cycles_ = cycles;
  }

  // Cuts lines into equal parts, for `cut->groups` tiles a line or fewer. Returns false where a line would be
  // its only part, or where rows would be too far apart for a copy.
  bool CutLines(ScanCut *cut) const {
    constexpr int64_t kAlign = 64;  // positions, so that parts of rows start on whole sectors
    cut->slice_length =
        AlignUp(CeilDiv(problem_.length, cut->slices * cut->groups), problem_.rows ? kAlign : 1);
    cut->groups = CeilDiv(CeilDiv(problem_.length, cut->slice_length), cut->slices);
    return cut->slice_length != problem_.length &&
           !(problem_.rows && ExceedsCopyGap(cut->slice_length * problem_.item));
  }

  // The most positions that fit; 0 where not one does.
  int64_t MostPositions(ScanCut cut) const {
    constexpr int64_t kTransposed = ScanLayout::kTransposed;
    constexpr int64_t kMaxRepeats = 255;  // of a transposition, eight positions of float32 each
    constexpr int64_t kGranule = 64;      // positions, so that pieces of rows start on whole sectors
    const int64_t length = cut.slice_length;
    int64_t most = std::min(length, problem_.rows ? AlignDown(kMaxRepeats * 8, kTransposed) : kMaxCopyRows);
    if (!problem_.rows && ExceedsCopyGap(problem_.inner * problem_.item)) most = 1;
    const int64_t fit = LargestFit(most, problem_.platform.ub_bytes, [&](int64_t positions) {
      cut.positions = positions;
      return bytes_(problem_, cut);
    });
    if (fit == length || fit < kGranule) return fit;
    // Pieces of nearly one length.
    return std::min(fit, AlignUp(CeilDiv(length, CeilDiv(length, fit)), problem_.rows ? kGranule : 1));
  }

  // Positions of a run: about as many as there are runs, where that is faster than a chain.
  int64_t RunLength(const ScanCut &cut) const {
    constexpr int64_t kMaxRepeats = 255;  // of an instruction, and most data blocks between them
    constexpr int64_t kRepeat = ScanLayout::kRepeat, kKeyBlock = ScanLayout::kKeyBlock;
    const int64_t width = problem_.Width(cut.slices, cut.columns), blocks = width / kKeyBlock;
    const int64_t n = cut.positions;
    if (!problem_.running || blocks > kMaxRepeats) return n;
    int64_t run = 1;
    while (run * run < n) ++run;
    run = std::min(run, kMaxRepeats / blocks);
    const int64_t runs = CeilDiv(n, run);
    if (runs > kMaxRepeats || StepCycles(n, width, run, 1) >= StepCycles(n, width, n, 1)) return n;
    // Results of two planes go to a scratch buffer of the size of the tile, a whole repeat for each run.
    const int64_t room = problem_.Elements(cut.slices, cut.columns, n) / kRepeat;
    return problem_.Planes() > 1 && std::max(run, runs) > room ? n : run;
  }

  // What op_kernel/scan demands of tiles of parts, beside room: pairs of positions are the repeats of an
  // instruction, and the ends of rows are scanned in runs, those of int64 through the scratch buffer.
  bool PartsFit(const ScanCut &cut) const {
    constexpr int64_t kMaxBlocks = 255, kRepeat = ScanLayout::kRepeat, kKeyBlock = ScanLayout::kKeyBlock;
    if (2 * problem_.Width(cut.slices, cut.columns) > kMaxBlocks * kKeyBlock) return false;
    const int64_t repeats = std::max(kEndRun, CeilDiv(cut.groups + cut.slices, kEndRun));
    return problem_.Planes() == 1 || !problem_.rows ||
           kRepeat * repeats <= problem_.Elements(cut.slices, cut.columns, cut.positions);
  }

  const ScanProblem &problem_;
  Bytes bytes_;
  ScanCut best_;
  double best_cycles_ = 0;
};

}  // namespace avo
