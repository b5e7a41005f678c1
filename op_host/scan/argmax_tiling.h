// SPDX-License-Identifier: Apache-2.0
// The search for the cut of a call of ArgMax that fits the Unified Buffer and takes the least modelled
// cycles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/tile_search.h"
#include "op_host/scan/argmax_cycles.h"
#include "op_host/scan/copy_limits.h"

namespace avo {

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
        Refuse({Lines(), 1, 1, std::min(problem_.length, kRepeat), fewest, kLeastPiece, 1});
      }
    }
    return best_;
  }

 private:
  using Layout = ArgmaxCut::Layout;
  static constexpr int64_t kRepeat = ArgmaxProblem::kRepeat, kMaxRepeats = ArgmaxProblem::kMaxRepeats;
  static constexpr int64_t kLeastPiece = 16;  // data blocks that a tree halves at once
  // Keys of one plane make trees.
  Layout Lines() const { return problem_.item == 8 ? Layout::kLines : Layout::kTrees; }
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
        TryColumns(slices, columns, 1);
        TryHalfColumns(slices, columns);
        // Too few lanes for all cores: parts of the axis.
        const int64_t items = CeilDiv(inner, columns) * CeilDiv(outer, slices);
        if (2 * items <= cores) TryColumns(slices, columns, cores / items);
        if (slices == outer || slices * columns > widest) break;
      }
    }
    // A Unified Buffer that is too small for all of these takes a few elements at a time.
    for (int64_t columns = granule; best_.positions == 0 && columns > 0; columns /= 2)
      TryColumns(1, columns, 1);
  }

  // Tries tiles of so many slices and columns, along as much of a part of the axis as fits.
  void TryColumns(int64_t slices, int64_t columns, int64_t parts) {
    const int64_t length = CeilDiv(problem_.length, parts);
    // A last part that begins where the axis ends would be in vain.
    if ((parts - 1) * length >= problem_.length) return;
    ArgmaxCut cut{Layout::kColumns, slices, columns, 0, parts};
    const int64_t lanes = cut.Pitch(problem_);
    if (lanes > kMaxRepeats * kRepeat) return;
    double more = 0;
    if (parts > 1) {
      constexpr double kMeetCycles = 3000;
      const int64_t groups = CeilDiv(problem_.outer * problem_.inner, kRepeat);
      more = kMeetCycles +
             static_cast<double>(CeilDiv<int64_t>(groups, problem_.platform.vector_cores) * parts) *
                 cost_.CompareCycles(1);
    }
    TryPieces(cut, length, cost_.CompareCycles(lanes / kRepeat), more);
  }

  // Tries float16 as lanes of 16 bits, where indices fit 16 bits too.
  void TryHalfColumns(int64_t slices, int64_t columns) {
    constexpr int64_t kMostLength = int64_t{1} << 15;
    const int64_t length = problem_.length;
    if (!problem_.half || length > kMostLength) return;
    ArgmaxCut cut{Layout::kHalfColumns, slices, columns, 0, 1};
    const int64_t lanes = cut.Pitch(problem_);
    if (lanes > kMaxRepeats * HalfColumnsBuffers::kRepeat) return;
    TryPieces(cut, length, cost_.HalfCompareCycles(lanes), 0);
  }

  // Tries columns along `length` positions in as few pieces as fit, and in more, of which the first is there
  // sooner. compare: cycles of a position; more: what the launch takes beside its tiles.
  void TryPieces(ArgmaxCut cut, int64_t length, double compare, double more) {
    constexpr int64_t kMostTimes = 4;
    cut.positions = MostPositions(
        cut, ExceedsCopyGap(problem_.inner * problem_.item) ? 1 : std::min(length, kMaxCopyRows));
    if (cut.positions == 0) return;
    const int64_t fewest = CeilDiv(length, cut.positions);
    const int64_t tiles =
        cut.parts * CeilDiv(problem_.outer, cut.slices) * CeilDiv(problem_.inner, cut.columns);
    for (int64_t pieces = fewest; pieces <= std::min(length, kMostTimes * fewest); pieces *= 2) {
      cut.positions = CeilDiv(length, pieces);
      cut.cycles =
          cost_.LaunchCycles(tiles, CeilDiv(length, cut.positions), cut.slices * cut.columns * length,
                             cut.columns, static_cast<double>(length) * compare) +
          more;
      KeepIfFaster(cut);
    }
  }

  // Tries lines in `fewest` parts and more, and tiles of all numbers of parts.
  void TryAllLines(int64_t fewest) {
    constexpr int64_t kMaxRounds = 4;
    const int64_t cores = problem_.platform.vector_cores, length = problem_.length;
    const int64_t most =
        std::max(fewest, std::min(CeilDiv(length, 8 * kRepeat), CeilDiv(64 * cores, problem_.outer)));
    for (int64_t parts = fewest; parts <= most; parts = std::max(parts + 1, parts * 9 / 8)) {
      // A last part that begins where the line ends would be in vain.
      if (parts > 1 && (parts - 1) * problem_.PartLength(parts) >= length) continue;
      const int64_t all_parts = problem_.outer * parts;
      for (int64_t rows = 1; rows <= kMaxRepeats; rows = rows < 8 ? rows + 1 : rows + rows / 8) {
        const int64_t most = std::min(rows, all_parts);
        if (!(Lines() == Layout::kTrees ? TryTrees(most, parts) : TryLines(most, parts)) ||
            rows >= all_parts) {
          break;
        }
      }
      // As many as all cores share evenly.
      for (int64_t rounds = 1; Lines() == Layout::kLines && rounds <= kMaxRounds; ++rounds) {
        TryLines(std::min(kMaxRepeats, CeilDiv(all_parts, cores * rounds)), parts);
      }
    }
  }

  // Tries tiles of so many parts, of lines in so many parts. Returns false where tiles of more rows do not
  // fit either.
  bool TryLines(int64_t rows, int64_t parts) {
    constexpr int64_t kMaxKeys = 255 * int64_t{ArgmaxFormat::kKeyBlock};  // of a row: an instruction's stride
    constexpr int64_t kReduceCycles = 600, kReduceRowCycles = 25;
    const int64_t length = problem_.PartLength(parts);
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
    const int64_t pieces = CeilDiv(length, cut.positions);
    // One tile is copied while another one is compared, and rows are long enough to hide their own cost
    // behind their bytes.
    cut.cycles = cost_.TreeLaunchCycles(CeilDiv(problem_.outer * parts, rows), 0, pieces, rows * length, 2, 0,
                                        compute / static_cast<double>(pieces), 0);
    cut.cycles += JoinCycles(parts);
    KeepIfFaster(cut);
    return true;
  }

  // Cycles to join the results of lines in so many parts, once the cores have met.
  double JoinCycles(int64_t parts) const {
    constexpr int64_t kMeetCycles = 1000, kPartCycles = 40;
    const int64_t lines = CeilDiv<int64_t>(problem_.outer, problem_.platform.vector_cores);
    return parts > 1 ? static_cast<double>(lines * (kMeetCycles + parts * kPartCycles)) : 0;
  }

  // Tries trees of so many parts at once, of lines in so many parts. Returns false where tiles of more rows
  // do not fit either.
  bool TryTrees(int64_t rows, int64_t parts) {
    constexpr int64_t kMostRows = 248, kMostPiece = 1024, kGranule = 64;
    const int64_t length = problem_.PartLength(parts);
    if (rows > kMostRows || (ExceedsCopyGap(problem_.length * problem_.item) && parts == 1 && rows > 1)) {
      return false;
    }
    bool fits = false;
    for (const int64_t queue : {1, 2}) {
      ArgmaxCut cut{Layout::kTrees, rows, 1, 0, parts, kMostPiece, queue};
      // Lines that are longer than the Unified Buffer go one by one, so several are whole.
      for (;; cut.piece /= 2) {
        cut.positions = length;
        if (cut.Bytes(problem_) <= problem_.platform.ub_bytes) break;
        cut.positions = rows == 1 ? MostPositions(cut, length) : 0;
        if (cut.positions >= kGranule || cut.piece == kLeastPiece) break;
      }
      if (cut.positions < length) {
        if (cut.positions < kGranule) continue;
        const int64_t pieces = CeilDiv(length, AlignDown(cut.positions, kGranule));
        cut.positions = std::min(cut.positions, AlignUp(CeilDiv(length, pieces), kGranule));
      }
      fits = true;
      cut.cycles =
          cost_.TreeLaunchCycles(CeilDiv(problem_.outer * parts, rows), rows, CeilDiv(length, cut.positions),
                                 rows * length, queue, cost_.FoldCycles(cut.Tree(problem_), rows, cut.piece),
                                 cost_.FindCycles(cut.Tree(problem_), rows)) +
          JoinCycles(parts);
      KeepIfFaster(cut);
    }
    return fits;
  }

  // Tries lines as lanes: as many as fit, or as all cores share evenly.
  void TryAllShortLines() {
    constexpr int64_t kFewestLines = 2, kMaxRounds = 8;
    constexpr int64_t kMaxLanes = kMaxRepeats * ArgmaxFormat::kKeyBlock;  // from position to position
    const int64_t cores = problem_.platform.vector_cores;
    if (problem_.length > kMaxRepeats || problem_.outer < kFewestLines) return;
    ArgmaxCut cut{Layout::kShortLines, 0, 1, problem_.length};
    const int64_t most = LargestFit(problem_.outer, problem_.platform.ub_bytes, [&](int64_t lines) {
      constexpr uint64_t kTooMany = uint64_t{1} << 40;
      cut.slices = lines;
      const int64_t lanes = cut.Pitch(problem_);
      return lanes > kMaxLanes ? kTooMany : cut.Bytes(problem_);
    });
    if (most == 0) return;
    const int64_t fewest = CeilDiv(problem_.outer, cores * most);
    for (int64_t rounds = fewest; rounds < fewest + kMaxRounds; ++rounds) {
      cut.slices = std::min(most, CeilDiv(problem_.outer, cores * rounds));
      const int64_t repeats = cut.Pitch(problem_) / kRepeat, elements = cut.slices * problem_.length;
      cut.cycles = cost_.LaunchCycles(CeilDiv(problem_.outer, cut.slices), 1, elements, elements,
                                      cost_.ShortLineCycles(repeats));
      KeepIfFaster(cut);
    }
  }

  const ArgmaxProblem &problem_;
  ArgmaxCost cost_;
  ArgmaxCut best_{};
};

}  // namespace avo
