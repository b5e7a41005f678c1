// SPDX-License-Identifier: Apache-2.0
// The tiling of scans along one axis, and of their gradients. Tiles lie across the other axes. A tile goes
// along the scanned axis in pieces that fit the Unified Buffer (op_kernel/scan/scan_layout.h has drawings).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "op_host/common/tensors/contract.h"
#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/scan/scan_search.h"
#include "op_kernel/scan/running_scan_buffers.h"

namespace avo {

// Tiling keys of the two layouts, as the contract numbers them.
struct ScanKeys {
  uint64_t columns;
  uint64_t rows;
};

// The fields on which the sizes of buffers depend. The search tries thousands of cuts, and needs no others.
// Tiling: RunningScanTiling or ScanGradientTiling.
template <typename Tiling>
Tiling ScanSizes(const ScanProblem &problem, const ScanCut &cut) {
  Tiling tiling{};
  tiling.tileOuter = static_cast<uint32_t>(cut.slices);
  tiling.tileColumns = static_cast<uint32_t>(cut.columns);
  tiling.tileLength = static_cast<uint32_t>(cut.positions);
  tiling.rowPitch = static_cast<uint32_t>(ScanProblem::RowPitch(cut.positions, problem.item));
  if constexpr (std::is_same_v<Tiling, RunningScanTiling>) {
    tiling.groups = cut.groups;
    if (problem.indexed()) {
      tiling.indexPitch = static_cast<uint32_t>(ScanProblem::RowPitch(cut.positions, sizeof(int32_t)));
    }
  }
  return tiling;
}

// All fields but `reverse`.
template <typename Tiling>
Tiling ScanTilingOf(const ScanProblem &problem, const ScanCut &cut) {
  auto tiling = ScanSizes<Tiling>(problem, cut);
  tiling.outer = problem.outer;
  tiling.length = problem.length;
  tiling.inner = problem.inner;
  tiling.outerTiles = cut.OuterTiles(problem);
  tiling.columnTiles = cut.ColumnTiles(problem);
  if constexpr (std::is_same_v<Tiling, RunningScanTiling>) {
    tiling.partLength = cut.slice_length;
    tiling.runLength = static_cast<uint32_t>(cut.run);
  }
  return tiling;
}

// Bytes of workspace in which cores exchange the ends of parts (op_kernel/scan/part_carries.h).
inline uint64_t EndsWorkspace(const ScanProblem &problem, const ScanCut &cut) {
  if (cut.groups == 0) return 0;
  const int64_t parts = cut.OuterTiles(problem) * cut.ColumnTiles(problem) * cut.slices;
  const int64_t planes = problem.Planes() + (problem.indexed() ? 1 : 0);
  return static_cast<uint64_t>(parts * problem.EndPitch(cut.columns) * 4 * planes);
}

// A search that uses all of the Unified Buffer.
struct NoReserve {
  template <typename Tiling>
  uint64_t operator()(const Tiling &, const ScanLayout &) const {
    return 0;
  }
};

// buffers, reserve: functions (const Tiling &, const ScanLayout &). They give the kernel's list of buffers,
// and bytes of the Unified Buffer that the search keeps free beside them. cycles: gets the modelled cycles.
template <typename Tiling, typename Buffers, typename Reserve = NoReserve>
Plan<Tiling> PlanScan(ScanProblem problem, const ScanKeys &keys, Buffers buffers, Reserve reserve = {},
                      double *cycles = nullptr) {
  Plan<Tiling> plan;
  plan.tiling_key = problem.rows ? keys.rows : keys.columns;
  plan.tiling.outer = problem.outer;
  plan.tiling.length = problem.length;
  plan.tiling.inner = problem.inner;
  if (problem.empty()) return plan;
  const auto bytes = [&](const ScanProblem &scan, const ScanCut &cut) {
    const auto tiling = ScanSizes<Tiling>(scan, cut);
    return BytesOf(buffers(tiling, scan.Layout())) + reserve(tiling, scan.Layout());
  };
  ScanCut cut = ScanSearch(problem, bytes).Find();
  if (cut.positions == 0 && problem.rows) {
    // 16 rows do not fit. A row is also a column of one element at each position, which takes less.
    problem.rows = false;
    plan.tiling_key = keys.columns;
    cut = ScanSearch(problem, bytes).Find();
  }
  if (cut.positions == 0) {
    ThrowUbTooSmall(problem.platform, bytes(problem, {1, 1, 1, 1, 0, problem.length}));
  }
  if (cycles != nullptr) *cycles = ScanCost(problem, cut).Cycles();
  plan.tiling = ScanTilingOf<Tiling>(problem, cut);
  plan.ub_bytes = BytesOf(buffers(plan.tiling, problem.Layout()));
  plan.workspace = EndsWorkspace(problem, cut);
  plan.block_dim = static_cast<uint32_t>(
      std::min<int64_t>(plan.tiling.outerTiles * plan.tiling.columnTiles, problem.platform.vector_cores));
  return plan;
}

// A scan for the best so far; with indices where problem.index_item is not 0. cycles: gets the modelled
// cycles.
inline Plan<RunningScanTiling> PlanRunningScan(ScanProblem problem, const ScanKeys &keys,
                                               double *cycles = nullptr) {
  problem.running = true;
  const uint64_t index_item = static_cast<uint64_t>(problem.index_item);
  const auto buffers = [=](const RunningScanTiling &tiling, const ScanLayout &layout) {
    return RunningScanBuffers(tiling, layout, index_item);
  };
  return PlanScan<RunningScanTiling>(problem, keys, buffers, NoReserve{}, cycles);
}

}  // namespace avo
