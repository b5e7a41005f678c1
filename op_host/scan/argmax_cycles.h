// SPDX-License-Identifier: Apache-2.0
// Modelled cycles of a call of ArgMax, by which its tiling compares cuts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/scan/argmax_problem.h"

namespace avo {

// Modelled cycles of the parts of a call.
class ArgmaxCost {
 public:
  explicit ArgmaxCost(const ArgmaxProblem &problem) : problem_(problem) {}

  // Cycles to compare one element for each lane, in `repeats` repeats of lanes.
  double CompareCycles(int64_t repeats) const {
    const int64_t item = problem_.item;
    const bool whole = problem_.format.whole;
    const double per_repeat = item == 8 ? 11 : 4, instructions = item == 8 ? 15 : whole ? 6 : 5;
    return instructions * kStartCycles + (per_repeat + KeyCycles()) * static_cast<double>(repeats);
  }

  // The same where float16 is compared as it is, in lanes of 16 bits (op_kernel/scan/half_columns.h).
  double HalfCompareCycles(int64_t lanes) const {
    constexpr double kInstructions = 8, kPerRepeat = 4;
    return kInstructions * kStartCycles +
           kPerRepeat * static_cast<double>(CeilDiv<int64_t>(lanes, HalfColumnsBuffers::kRepeat));
  }

  // Cycles to transpose short lines to `repeats` repeats of lanes, and to find the largest of each lane
  // (op_kernel/scan/slot_argmax.h).
  double ShortLineCycles(int64_t repeats) const {
    const bool wide = problem_.item == 8;
    const double steps = static_cast<double>(std::min(repeats, problem_.length));
    const double instructions = wide ? 40 + 9 * steps : 24 + 5 * steps, per_repeat = wide ? 12 : 7;
    const double transpositions = static_cast<double>(4 * repeats * (wide ? 2 : 1));
    return (instructions + transpositions) * kStartCycles +
           transpositions * static_cast<double>(problem_.length) / 4 +
           (per_repeat + KeyCycles()) * static_cast<double>(repeats * problem_.length);
  }

  // Cycles of a launch: of its busiest core, and of starting all cores. Each of `tiles` tiles loads
  // `elements` elements in `pieces` pieces, as runs of `run` contiguous elements, and computes for `compute`
  // cycles.
  double LaunchCycles(int64_t tiles, int64_t pieces, int64_t elements, int64_t run, double compute) const {
    constexpr double kPieceCycles = 150;    // a dozen instructions
    constexpr double kLatencyCycles = 450;  // of the first copy
    constexpr double kDispatchCycles = 80;  // of a block
    constexpr double kFullSpeedBytes = 512;
    const Platform &platform = problem_.platform;
    const double slowness = std::max(1.0, kFullSpeedBytes / static_cast<double>(run * problem_.item));
    const int64_t cores = platform.vector_cores;
    const double copied =
        static_cast<double>(elements * problem_.item) * slowness / CoreBandwidth(std::min(tiles, cores));
    return static_cast<double>(std::min(tiles, cores)) * kDispatchCycles + kLatencyCycles +
           static_cast<double>(CeilDiv(tiles, cores)) *
               (std::max(copied, compute) + kPieceCycles * static_cast<double>(pieces)) +
           copied / static_cast<double>(pieces);
  }

  // Cycles to halve `rows` lines of a tile to their tops, and to find the way back
  // (op_kernel/scan/line_tree.h).
  double FoldCycles(const TreeShape &tree, int64_t rows, int64_t piece) const {
    constexpr double kBlocksOfRepeat = 8;
    const bool cast = problem_.item != problem_.tree_item;
    const double starts = problem_.bfloat16 ? 5 : cast ? 4 : 3;
    const double cycles = problem_.bfloat16 ? 2 : cast ? 3 : 1;  // of a repeat
    const double blocks = static_cast<double>(rows * tree.Blocks());
    const double pieces = static_cast<double>(CeilDiv(rows * tree.Blocks(), piece));
    return (pieces * starts + static_cast<double>(tree.levels)) * kStartCycles +
           blocks / kBlocksOfRepeat * cycles;
  }
  double FindCycles(const TreeShape &tree, int64_t rows) const {
    constexpr double kLargest = 10, kStage = 17;  // instructions
    constexpr double kStageRowCycles = 9;
    const double steps = static_cast<double>(tree.Steps());
    return (static_cast<double>(tree.top) + kLargest + kStage * (steps + 1)) * kStartCycles +
           static_cast<double>(rows) * kStageRowCycles * (steps + 1);
  }

  // Cycles of a launch of `tiles` tiles of lines, of `rows` rows each, of `elements` elements in `pieces`
  // pieces. A tile alone is folded while the rest of it is loaded, all but its last piece.
  double TreeLaunchCycles(int64_t tiles, int64_t rows, int64_t pieces, int64_t elements, int64_t queue,
                          double fold, double find, double latency = 350) const {
    constexpr double kTilePieces = 4;
    constexpr double kDispatchCycles = 80, kRowCycles = 8;
    const Platform &platform = problem_.platform;
    const int64_t cores = std::min<int64_t>(tiles, platform.vector_cores);
    const double copied =
        static_cast<double>(elements * problem_.item) / static_cast<double>(pieces) / CoreBandwidth(cores) +
        kRowCycles * static_cast<double>(rows) + latency;
    const double times = static_cast<double>(CeilDiv(tiles, cores) * pieces);
    const double dispatch = static_cast<double>(cores) * kDispatchCycles;
    const double compute = fold + find;
    if (queue == 1) return dispatch + times * (std::max(copied, fold) + fold / kTilePieces + find);
    return dispatch + times * std::max(copied, compute) + std::min(copied, compute);
  }

  static constexpr double kStartCycles = 22;  // of an instruction, beside its repeats

 private:
  // Bytes that a core gets from HBM in a cycle, where so many cores read. HBM gives no more to many cores
  // than to as many as there are cube cores.
  double CoreBandwidth(int64_t cores) const {
    const Platform &platform = problem_.platform;
    const double core =
        platform.hbm_bytes_per_cycle > 0 ? static_cast<double>(platform.hbm_bytes_per_cycle) : 1;
    const double device = core * static_cast<double>(std::max<uint32_t>(platform.cube_cores, 1));
    return std::min(core, device / static_cast<double>(cores));
  }
  // Cycles to make the keys of 64 elements.
  double KeyCycles() const {
    return IsOwnKey(problem_.format.item) ? 0 : problem_.item == 8 ? 11 : problem_.item == 1 ? 4 : 2;
  }

  const ArgmaxProblem &problem_;
};

}  // namespace avo
