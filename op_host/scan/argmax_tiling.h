// SPDX-License-Identifier: Apache-2.0
// The search for the cut of a call of ArgMax that fits the Unified Buffer and takes the least modelled
// cycles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/tile_search.h"
#include "op_host/scan/argmax_problem.h"
#include "op_host/scan/copy_limits.h"

namespace avo {

// Modelled cycles of the parts of a call.
class ArgmaxCost {
 public:
  explicit ArgmaxCost(const ArgmaxProblem &problem) : problem_(problem) {}

  // Cycles to compare one element for each lane, in `repeats` repeats of lanes.
  double CompareCycles(int64_t repeats) const {
    const int64_t item = problem_.item;
    const bool whole = problem_.format.whole;
    const double per_repeat = item == 8 ? 7 : 4, instructions = item == 8 ? 12 : whole ? 4 : 6;
    const double keys = IsOwnKey(problem_.format.item) ? 0 : item == 8 ? 5 : item == 1 ? 2 : 1;
    return instructions * kStartCycles + (per_repeat + keys) * static_cast<double>(repeats);
  }

  // Cycles to transpose short lines to the lanes of `repeats` repeats.
  double TransposeCycles(int64_t repeats) const {
    const double instructions =
        static_cast<double>(4 * repeats * static_cast<int64_t>(problem_.format.Planes()));
    return instructions * (kStartCycles + static_cast<double>(problem_.length) / 4);
  }

  // Cycles of a launch: of its busiest core, and of starting all cores. Each of `tiles` tiles loads
  // `elements` elements in `pieces` pieces, as runs of `run` contiguous elements, and computes for `compute`
  // cycles.
  double LaunchCycles(int64_t tiles, int64_t pieces, int64_t elements, int64_t run, double compute) const {
    constexpr double kPieceCycles = 600;    // latency of a copy and a dozen instructions
    constexpr double kDispatchCycles = 80;  // of a block
    constexpr double kFullSpeedBytes = 512;
    const Platform &platform = problem_.platform;
    const double slowness = std::max(1.0, kFullSpeedBytes / static_cast<double>(run * problem_.item));
    const double bandwidth = platform.hbm_bytes_per_cycle > 0 ? platform.hbm_bytes_per_cycle : 1;
    const double copied = static_cast<double>(elements * problem_.item) * slowness / bandwidth;
    const int64_t cores = platform.vector_cores;
    return static_cast<double>(std::min(tiles, cores)) * kDispatchCycles +
           static_cast<double>(CeilDiv(tiles, cores)) *
               (std::max(copied, compute) + kPieceCycles * static_cast<double>(pieces)) +
           copied / static_cast<double>(pieces);
  }

  static constexpr double kStartCycles = 22;  // of an instruction, beside its repeats

 private:
  const ArgmaxProblem &problem_;
};

class ArgmaxSearch {
 public:
  explicit ArgmaxSearch(const ArgmaxProblem &problem) : problem_(problem), cost_(problem) {}

  // Finds the fastest cut. Throws where no tile fits.
  ArgmaxCut Find() {
    if (problem_.inner > 1) {
      TryAllColumns();
      if (best_.positions == 0) Refuse({Layout::kColumns, 1, 1, 1});
    } else {
      const int64_t fewest = CeilDiv(problem_.length, kMaxPart);
      TryAllLines(fewest);
      TryAllShortLines();
      if (best_.positions == 0) {
        Refuse({Layout::kLines, 1, 1, std::min(problem_.length, kRepeat), fewest});
      }
    }
    return best_;
  }

 private:
  using Layout = ArgmaxCut::Layout;
  static constexpr int64_t kRepeat = ArgmaxProblem::kRepeat, kMaxRepeats = ArgmaxProblem::kMaxRepeats;
  static constexpr int64_t kMaxPart = int64_t{1} << 23;  // indices within a part are exact in float32

  // Says how many bytes of UB the smallest tile takes.
  [[noreturn]] void Refuse(const ArgmaxCut &least) const {
    ThrowUbTooSmall(problem_.platform, least.Bytes(problem_));
  }

  void KeepIfFaster(const ArgmaxCut &cut) {
    if (best_.positions == 0 || cut.cycles < best_.cycles) best_ = cut;
  }

  // The most positions of a cut that fit, up to `most`.
  int64_t MostPositions(ArgmaxCut cut, int64_t most) const {
    return LargestFit(most, problem_.platform.ub_bytes, [&](int64_t positions) {
      cut.positions = positions;
      return cut.Bytes(problem_);
    });
  }

  // Tries tiles of all numbers of columns and slices.
  void TryAllColumns() {
    const int64_t granule = 512 / problem_.item, cores = problem_.platform.vector_cores;
    const int64_t widest = kMaxRepeats * kRepeat, inner = problem_.inner, outer = problem_.outer;
    const int64_t fewest = CeilDiv(inner, widest);
    const int64_t last = std::max(fewest, std::min(CeilDiv(inner, granule), 4 * fewest + 2 * cores));
    for (int64_t tiles = fewest; tiles <= last; ++tiles) {
      int64_t columns = CeilDiv(inner, tiles);
      if (tiles > 1) columns = std::min(inner, AlignUp(columns, granule));
      for (int64_t slices = 1;; slices = std::min(outer, slices * 2)) {
        TryColumns(slices, columns);
        if (slices == outer || slices * columns > widest) break;
      }
    }
    // A Unified Buffer that is too small for all of these takes a few elements at a time.
    for (int64_t columns = granule; best_.positions == 0 && columns > 0; columns /= 2) TryColumns(1, columns);
  }

  // Tries tiles of so many slices and columns, along as much of the axis as fits.
  void TryColumns(int64_t slices, int64_t columns) {
    const int64_t length = problem_.length;
    ArgmaxCut cut{Layout::kColumns, slices, columns};
    const int64_t lanes = cut.Pitch(problem_);
    if (lanes > kMaxRepeats * kRepeat) return;
    cut.positions = MostPositions(
        cut, ExceedsCopyGap(problem_.inner * problem_.item) ? 1 : std::min(length, kMaxCopyRows));
    if (cut.positions == 0) return;
    const int64_t pieces = CeilDiv(length, cut.positions);
    cut.positions = CeilDiv(length, pieces);
    const double compute = static_cast<double>(length) * cost_.CompareCycles(lanes / kRepeat);
    cut.cycles = cost_.LaunchCycles(CeilDiv(problem_.outer, slices) * CeilDiv(problem_.inner, columns),
                                    pieces, slices * columns * length, columns, compute);
    KeepIfFaster(cut);
  }

  // Tries lines in `fewest` parts and more, and tiles of all numbers of parts.
  void TryAllLines(int64_t fewest) {
    const int64_t cores = problem_.platform.vector_cores, length = problem_.length;
    const int64_t most =
        std::max(fewest, std::min(CeilDiv(length, 8 * kRepeat), CeilDiv(64 * cores, problem_.outer)));
    for (int64_t parts = fewest; parts <= most; parts = std::max(parts + 1, parts * 9 / 8)) {
      // A last part that begins where the line ends would be in vain.
      if (parts > 1 && (parts - 1) * problem_.PartLength(parts) >= length) continue;
      const int64_t all_parts = problem_.outer * parts;
      for (int64_t rows = 1; rows <= kMaxRepeats; rows = rows < 8 ? rows + 1 : rows + rows / 8) {
        if (!TryLines(std::min(rows, all_parts), parts) || rows >= all_parts) break;
      }
    }
  }

  // Tries tiles of so many parts, of lines in so many parts. Returns false where tiles of more rows do not
  // fit either.
  bool TryLines(int64_t rows, int64_t parts) {
    constexpr int64_t kMaxKeys = 255 * int64_t{ArgmaxFormat::kKeyBlock};  // of a row: an instruction's stride
    constexpr int64_t kReduceCycles = 600, kReduceRowCycles = 25, kJoinCycles = 1000, kJoinPartCycles = 40;
    const int64_t length = problem_.PartLength(parts), cores = problem_.platform.vector_cores;
    ArgmaxCut cut{Layout::kLines, rows, 1, 0, parts};
    cut.positions = MostPositions(cut, std::min(length, AlignDown(kMaxKeys, kRepeat)));
    if (cut.positions < length) {
      const int64_t fit = AlignDown(cut.positions, kRepeat);
      const int64_t pieces = CeilDiv(length, std::max<int64_t>(1, fit));
      cut.positions = std::min(fit, AlignUp(CeilDiv(length, pieces), kRepeat));
    }
    if (cut.positions == 0 || (ExceedsCopyGap(problem_.length * problem_.item) && parts == 1 && rows > 1))
      return false;
    const double compute = static_cast<double>(CeilDiv(length, kRepeat)) * cost_.CompareCycles(rows) +
                           kReduceCycles + static_cast<double>(kReduceRowCycles * rows);
    cut.cycles = cost_.LaunchCycles(CeilDiv(problem_.outer * parts, rows), CeilDiv(length, cut.positions),
                                    rows * length, cut.positions, compute);
    if (parts > 1) {
      const int64_t join = kJoinCycles + parts * kJoinPartCycles;
      cut.cycles += static_cast<double>(CeilDiv(problem_.outer, cores) * join);
    }
    KeepIfFaster(cut);
    return true;
  }

  // Tries lines as lanes: as many as fit, or as all cores share evenly.
  void TryAllShortLines() {
    constexpr int64_t kFewestLines = 2, kMaxRounds = 8;
    constexpr int64_t kMaxPositions = 255 * 8;  // of a transposition
    const int64_t cores = problem_.platform.vector_cores;
    if (problem_.length + 8 > kMaxPositions || problem_.outer < kFewestLines) return;
    ArgmaxCut cut{Layout::kShortLines, 0, 1, problem_.length};
    const int64_t most = LargestFit(problem_.outer, problem_.platform.ub_bytes, [&](int64_t lines) {
      constexpr uint64_t kTooMany = uint64_t{1} << 40;
      cut.slices = lines;
      const int64_t lanes = cut.Pitch(problem_),
                    group = AlignDown(lanes / problem_.Apart(), ArgmaxProblem::kTransposed);
      return lanes > kMaxRepeats * kRepeat || group > kMaxPositions ? kTooMany : cut.Bytes(problem_);
    });
    if (most == 0) return;
    const int64_t fewest = CeilDiv(problem_.outer, cores * most);
    for (int64_t rounds = fewest; rounds < fewest + kMaxRounds; ++rounds) {
      cut.slices = std::min(most, CeilDiv(problem_.outer, cores * rounds));
      const int64_t repeats = cut.Pitch(problem_) / kRepeat, elements = cut.slices * problem_.length;
      const double compute = static_cast<double>(problem_.length) * cost_.CompareCycles(repeats) +
                             cost_.TransposeCycles(repeats);
      cut.cycles = cost_.LaunchCycles(CeilDiv(problem_.outer, cut.slices), 1, elements, elements, compute);
      KeepIfFaster(cut);
    }
  }

  const ArgmaxProblem &problem_;
  ArgmaxCost cost_;
  ArgmaxCut best_{};
};

}  // namespace avo
