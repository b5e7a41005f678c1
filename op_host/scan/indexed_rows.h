// SPDX-License-Identifier: Apache-2.0
// The tiling of scans with indices. Whole rows whose indices fit 16 bits have a layout of their own
// (op_kernel/scan/indexed_rows.h); it is taken where it is faster than those of scan_tiling.h.
#pragma once

#include "op_host/scan/scan_tiling.h"
#include "op_kernel/scan/indexed_rows_buffers.h"

namespace avo {

// Tiling keys of all layouts, as the contract numbers them.
struct IndexedScanKeys {
  ScanKeys others;
  uint64_t indexed_rows;
};

// A way to cut whole rows, and its modelled cycles.
struct IndexedRowsCut {
  int64_t rows = 0;       // of a tile
  int64_t positions = 0;  // of a piece; 0: no tile fits
  int64_t together = 0;   // positions of 16 rows whose indices are copied at once
  int64_t queue = 0;      // copies of results that wait in UB
  double cycles = 0;
};

class IndexedRowsSearch {
 public:
  // key_item: bytes of a key.
  IndexedRowsSearch(const ScanProblem &problem, int64_t key_item) : problem_(problem), key_item_(key_item) {}

  // The fastest cut; one of 0 positions where none fits.
  IndexedRowsCut Find() {
    constexpr int64_t kMostWidth = 1024;
    // Numbers of positions behind a row fit 16 bits, too.
    constexpr int64_t kMostLength = (int64_t{1} << 15) - kMostPositions;
    if (!problem_.rows || problem_.Planes() > 1 || problem_.length > kMostLength) return best_;
    const int64_t cores = problem_.platform.vector_cores, lanes = ScanLayout::kTransposed;
    for (int64_t width = lanes; width <= kMostWidth; width += lanes) {
      const int64_t rounds = CeilDiv(problem_.outer, cores * width);
      if (!Try(CeilDiv(problem_.outer, cores * rounds)) || width >= problem_.outer) break;
    }
    return best_;
  }

  // All fields but `reverse`.
  RunningScanTiling Tiling(const IndexedRowsCut &cut) const {
    RunningScanTiling tiling = Sizes(cut);
    tiling.outer = problem_.outer;
    tiling.length = problem_.length;
    tiling.inner = 1;
    tiling.outerTiles = CeilDiv(problem_.outer, cut.rows);
    tiling.columnTiles = 1;
    tiling.partLength = problem_.length;
    tiling.tileColumns = 1;
    tiling.runLength = PlaneShape::kPlanes;
    return tiling;
  }
  uint64_t Bytes(const IndexedRowsCut &cut) const {
    return BytesOf(IndexedRowsBuffers(Sizes(cut), static_cast<uint64_t>(problem_.item),
                                      static_cast<uint64_t>(key_item_),
                                      static_cast<uint64_t>(problem_.index_item)));
  }

 private:
  static constexpr int64_t kMostPositions = 2032;  // 254 repeats of a transposition of float32

  // The fields on which the sizes of buffers depend.
  RunningScanTiling Sizes(const IndexedRowsCut &cut) const {
    RunningScanTiling tiling{};
    tiling.tileOuter = static_cast<uint32_t>(cut.rows);
    tiling.tileLength = static_cast<uint32_t>(cut.positions);
    tiling.rowPitch = static_cast<uint32_t>(ScanProblem::RowPitch(cut.positions, problem_.item));
    tiling.indexLength = static_cast<uint32_t>(cut.together);
    tiling.outQueue = static_cast<uint32_t>(cut.queue);
    // A data block more than the positions, so that the 16 rows of a transposition lie in 16 bank groups.
    tiling.indexPitch = static_cast<uint32_t>(cut.together + 32 / problem_.index_item);
    return tiling;
  }

  // Tries tiles of so many rows. Returns false where tiles of more rows do not fit either.
  bool Try(int64_t rows) {
    constexpr int64_t kTogether[] = {16, 64, 128, 256, 512}, kMostQueue = 6, kMostCopies = 2;
    bool fits = false;
    for (int64_t queue = 2; queue <= kMostQueue; ++queue) {
      for (const int64_t together : kTogether) {
        fits = TryQueue(rows, together, queue, 1) || fits;
        if (together >= problem_.length) break;
      }
      // Whole rows in few copies of one length.
      for (int64_t copies = 1; copies <= kMostCopies; ++copies) {
        const int64_t together = AlignUp<int64_t>(CeilDiv(problem_.length, copies), ScanLayout::kTransposed);
        fits = TryQueue(rows, together, queue, problem_.length) || fits;
      }
    }
    return fits;
  }

  // Tries the longest pieces that fit beside copies of so many positions, if they have `least` positions.
  bool TryQueue(int64_t rows, int64_t together, int64_t queue, int64_t least) {
    constexpr int64_t kUnit = ScanLayout::kTransposed;
    IndexedRowsCut cut;
    cut.rows = rows;
    cut.queue = queue;
    cut.together = together;
    const int64_t most = std::min(CeilDiv(problem_.length, kUnit), kMostPositions / kUnit);
    const int64_t units = LargestFit(most, problem_.platform.ub_bytes, [&, cut](int64_t count) mutable {
      cut.positions = count * kUnit;
      return Bytes(cut);
    });
    if (units * kUnit < least) return false;
    // Pieces of nearly one length, and copies of nearly one length.
    cut.positions = AlignUp(CeilDiv(problem_.length, CeilDiv(problem_.length, units * kUnit)), kUnit);
    cut.together = AlignUp(CeilDiv(cut.positions, CeilDiv(cut.positions, together)), kUnit);
    cut.cycles = Cycles(cut);
    if (best_.positions == 0 || cut.cycles < best_.cycles) best_ = cut;
    return true;
  }

  double Cycles(const IndexedRowsCut &cut) const {
    constexpr double kDispatchCycles = 80;  // of a block
    constexpr double kPieceCycles = 700;    // latency of two copies, and synchronisation
    const int64_t cores = problem_.platform.vector_cores, tiles = CeilDiv(problem_.outer, cut.rows);
    const double rounds = static_cast<double>(CeilDiv(tiles, cores));
    const double pieces = static_cast<double>(CeilDiv(problem_.length, cut.positions));
    const double elements = static_cast<double>(cut.rows * problem_.length) / pieces;
    const double bandwidth =
        static_cast<double>(std::max<uint64_t>(problem_.platform.hbm_bytes_per_cycle, 1));
    const double read = elements * static_cast<double>(problem_.item) / bandwidth;
    const double write_values = WriteCycles(cut, elements, problem_.item),
                 write_indices = WriteCycles(cut, elements, problem_.index_item);
    // While copies of results are more than the queue holds, the vector unit waits for them.
    const int64_t groups = CeilDiv<int64_t>(cut.rows, ScanLayout::kTransposed);
    const int64_t copies =
        groups * (CeilDiv(cut.positions, cut.together) +
                  CeilDiv(cut.positions * problem_.item, cut.together * problem_.index_item));
    const double waits = (write_values + write_indices) *
                         std::max(0.0, 1 - static_cast<double>(cut.queue) / static_cast<double>(copies));
    const double compute = PieceCycles(cut) + kPieceCycles;
    const double piece = std::max({read, write_values + write_indices, compute + waits});
    return static_cast<double>(std::min(tiles, cores)) * kDispatchCycles + rounds * pieces * piece + read +
           std::min(compute, write_values + write_indices);
  }

  // Cycles to write `elements` elements of `item` bytes. A row that begins anywhere touches a line more.
  double WriteCycles(const IndexedRowsCut &cut, double elements, int64_t item) const {
    constexpr int64_t kLine = 512;
    constexpr double kCoreBytes = 32;  // a cycle
    const int64_t row = std::min(cut.positions * item, cut.together * problem_.index_item);
    const bool aligned = problem_.length * item % kLine == 0 && row % kLine == 0;
    return elements * static_cast<double>(item) / kCoreBytes *
           (aligned ? 1.0 : 1.0 + static_cast<double>(kLine) / static_cast<double>(row));
  }

  // Cycles of the vector instructions of a piece.
  double PieceCycles(const IndexedRowsCut &cut) const {
    constexpr double kStartCycles = 22;  // of an instruction, beside its repeats
    constexpr double kRepeatBytes = 256, kOthers = 16;
    constexpr double kPlanes = PlaneShape::kPlanes;
    const PlaneShape shape(static_cast<uint64_t>(cut.rows), static_cast<uint64_t>(cut.positions));
    const double groups = shape.width / ScanLayout::kTransposed, elements = shape.Elements();
    double steps = 0;
    for (uint32_t shift = 1; shift < shape.runs; shift *= 2) ++steps;
    const auto bytes = [&](int64_t item) { return elements * static_cast<double>(item) / kRepeatBytes; };
    const double keys = bytes(key_item_), half = bytes(2), moved = bytes(problem_.item);
    const double index_blocks = static_cast<double>(problem_.index_item) / 4;
    const double stores = static_cast<double>(CeilDiv(cut.positions, cut.together)) * (1 + index_blocks);
    // PlaneScan needs six instructions fewer than two for each plane, but seven planes wait for banks.
    // Counting both measured slower: pieces become shorter.
    const double instructions = 2 * (2 * kPlanes + steps) + groups * (1 + stores) + kOthers;
    // A step of ends reads banks twice.
    const double sweeps = 2 + 2 * steps / kPlanes;
    const double casts = problem_.item == key_item_ ? 0 : 2 * 2 * keys;
    return instructions * kStartCycles + sweeps * (keys + half) + 2 * keys + half + 2 * moved + casts +
           2 * index_blocks * half;
  }

  const ScanProblem &problem_;
  int64_t key_item_;
  IndexedRowsCut best_;
};

// cummax and cummin. dim: as the operators take it, in [-rank, rank), of a scalar in [-1, 0].
inline Plan<RunningScanTiling> PlanScanWithIndices(const Tensor &input, const Tensor &indices, int64_t dim,
                                                   const IndexedScanKeys &keys, const Platform &platform) {
  const int64_t axis = WrapDimension(dim, std::max<int64_t>(input.rank(), 1));
  ScanProblem problem(input.shape, axis, DTypeSize(input.dtype), platform);
  problem.index_item = DTypeSize(indices.dtype);
  IndexedRowsSearch search(problem, input.dtype == DType::kBFloat16 ? 4 : problem.item);
  const IndexedRowsCut cut = problem.empty() ? IndexedRowsCut{} : search.Find();
  double others = 0;
  auto plan = PlanRunningScan(problem, keys.others, &others);
  if (cut.positions == 0 || others <= cut.cycles) return plan;
  plan.tiling = search.Tiling(cut);
  plan.tiling_key = keys.indexed_rows;
  plan.workspace = 0;
  plan.ub_bytes = search.Bytes(cut);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(plan.tiling.outerTiles, platform.vector_cores));
  return plan;
}

}  // namespace avo
