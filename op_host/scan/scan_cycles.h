// SPDX-License-Identifier: Apache-2.0
// Modelled cycles of a scan, by which its tiling compares cuts. They are those of the busiest core: the
// longer of its copies and its vector instructions, and what starts and ends a launch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/scan/scan_problem.h"

namespace avo {

constexpr int64_t kEndRun = 16;  // ends of parts of rows in a run (op_kernel/scan/part_carries.h)

// Returns the cycles of the steps of a scan. Each step takes `instructions` and waits for the step before it.
inline double StepCycles(int64_t positions, int64_t width, int64_t run, int64_t instructions) {
  constexpr double kStartCycles = 22;  // of an instruction, beside its repeats
  constexpr int64_t kRepeat = ScanLayout::kRepeat;
  const double repeats = static_cast<double>(CeilDiv(width, kRepeat));
  const double n = static_cast<double>(positions), steps = static_cast<double>(run);
  if (run >= positions) return static_cast<double>(instructions) * n * (kStartCycles + repeats);
  const double runs = static_cast<double>(CeilDiv(positions, run));
  return static_cast<double>(instructions) * repeats *
         (steps * (kStartCycles + runs) + runs * (kStartCycles + steps));
}

// What the busiest core does for a cut.
class ScanCost {
 public:
  ScanCost(const ScanProblem &problem, const ScanCut &cut)
      : problem_(problem),
        cut_(cut),
        cores_(problem.platform.vector_cores),
        items_(cut.OuterTiles(problem) * cut.ColumnTiles(problem)),
        rounds_(static_cast<double>(CeilDiv(items_, cores_))),
        pieces_(static_cast<double>(CeilDiv(cut.slice_length, cut.positions))),
        width_(problem.Width(cut.slices, cut.columns)),
        wide_(problem.item == 8) {}

  double Cycles() const {
    constexpr double kDispatchCycles = 80;  // of a block
    const double read = CopyCycles(problem_.item, problem_.item + problem_.more_read);
    const double written =
        CopyCycles(problem_.item, problem_.item) + CopyCycles(problem_.index_item, problem_.index_item);
    double cycles = static_cast<double>(std::min(items_, cores_)) * kDispatchCycles +
                    PassCycles(read + written, LoadSweeps() + StoreSweeps());
    if (cut_.groups > 0) {
      // The input is read twice, and ends of parts are scanned before and after the cores meet.
      constexpr double kMeetCycles = 1500;
      cycles += PassCycles(read, LoadSweeps()) + kMeetCycles + rounds_ * 2 * EndsCycles();
    }
    return cycles;
  }

 private:
  // Cycles to copy a tile, `bytes` of each element, from tensors whose elements have `item` bytes.
  double CopyCycles(int64_t item, int64_t bytes) const {
    const double elements = static_cast<double>(cut_.slices * cut_.columns * cut_.slice_length);
    const double bandwidth =
        static_cast<double>(std::max<uint64_t>(problem_.platform.hbm_bytes_per_cycle, 1));
    return elements * static_cast<double>(bytes) * Slowness(item) / bandwidth;
  }

  // How much longer a copy of pieces takes than one of whole slices, which follow each other in global
  // memory. Where not all rows begin and end at a line of memory, each row moves one line more: so for
  // columns, and for rows with indices. Rows without indices, and parts of lines, are short runs of bytes.
  double Slowness(int64_t item) const {
    constexpr double kFullSpeedBytes = 256;
    constexpr int64_t kLineBytes = 512;
    const int64_t along = problem_.rows ? problem_.length : problem_.inner;
    const int64_t row = (problem_.rows ? cut_.positions : cut_.columns) * item;
    if (problem_.rows ? cut_.positions == cut_.slice_length : cut_.columns == problem_.inner) return 1.0;
    if (problem_.rows && (problem_.index_item == 0 || cut_.groups > 0)) {
      return std::max(1.0, kFullSpeedBytes / static_cast<double>(cut_.positions * problem_.item));
    }
    if (row == 0 || (along * item % kLineBytes == 0 && row % kLineBytes == 0)) return 1.0;
    return 1.0 + static_cast<double>(kLineBytes) / static_cast<double>(row);
  }

  // Instructions over a whole piece, beside the steps: those that load it, and those that store results.
  double LoadSweeps() const {
    return (problem_.rows ? 2 : 0) + (wide_ ? 5 : 0) + (problem_.indexed() ? 5 : 0);
  }
  double StoreSweeps() const {
    const bool indexed = problem_.indexed();
    return (problem_.rows ? 2 : 0) + (wide_ ? 27 : 0) + (indexed ? 2 : 0) +
           (problem_.rows && indexed ? 3 : 0);
  }

  // Cycles of one pass over all tiles of the core: copies of `copied` cycles for each tile, and `sweeps`.
  double PassCycles(double copied, double sweeps) const {
    constexpr double kStartCycles = 22;   // of a vector instruction, beside its repeats
    constexpr double kPieceCycles = 300;  // latency of two copies and a dozen instructions
    const double steps = StepCycles(cut_.positions, width_, cut_.run, (wide_ ? 7 : 1)) +
                         (problem_.indexed() ? StepCycles(cut_.positions, width_, cut_.run, 1) : 0);
    // A transposition takes 16 rows in, and as many out in two halves.
    const int64_t transposed = problem_.rows ? 3 * width_ / static_cast<int64_t>(ScanLayout::kTransposed) *
                                                   (problem_.Planes() + (problem_.indexed() ? 1 : 0))
                                             : 0;
    const double starts = kStartCycles * static_cast<double>(12 + transposed);
    const double elements = static_cast<double>(problem_.Elements(cut_.slices, cut_.columns, cut_.positions));
    const double compute = pieces_ * (steps + starts + elements / ScanLayout::kRepeat * sweeps);
    return rounds_ * (std::max(copied, compute) + pieces_ * kPieceCycles) + copied / pieces_;
  }

  // Cycles of exchanging and scanning the ends of a tile's parts.
  double EndsCycles() const {
    constexpr double kExchangeCycles = 1000;
    const int64_t ends = cut_.groups + cut_.slices;
    return kExchangeCycles + StepCycles(ends, problem_.EndPitch(cut_.columns), problem_.rows ? kEndRun : ends,
                                        (wide_ ? 7 : 1) + (problem_.indexed() ? 1 : 0));
  }

  const ScanProblem &problem_;
  const ScanCut &cut_;
  int64_t cores_, items_;  // items: tiles of the launch
  double rounds_;          // tiles of the busiest core
  double pieces_;          // of a tile
  int64_t width_;
  bool wide_;  // elements of 8 bytes, which are two planes
};

}  // namespace avo
