// SPDX-License-Identifier: Apache-2.0
// Tiles of whole planes (op_kernel/pooling/pool_planes.h), and the choice between them and tiles of windows.
#pragma once

#include <cmath>
#include <numeric>

#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/pooling/pool_windows_tiling.h"

namespace avo {

// How a tile of `planes` whole planes lies in the Unified Buffer. Sizes are elements, or slots.
struct PoolPlaneLayout {
  static constexpr int64_t kLanes = PoolWindowLayout::kLanes;

  PoolPlaneLayout(const PoolProblem &problem, int64_t planes) : problem(problem), planes(planes) {
    const PoolAxis &rows = problem.rows, &columns = problem.columns;
    const int64_t item = problem.item, element = problem.element, block = 32 / item;
    plane = rows.in * columns.in;
    // Every apart-th plane starts at the same offset in a data block.
    apart = 32 / element / std::gcd(32 / element, plane);
    lanes = apart * AlignUp(CeilDiv(planes, apart), kLanes);
    // Rows with their padding are a whole number of steps, so that windows go on from row to row.
    row_pitch = AlignUp(columns.Span(columns.out, columns.kernel), columns.stride);
    windows = rows.out * row_pitch / columns.stride;
    slots = std::max(plane + 2 * kLanes, AlignUp(windows, kLanes));
    out_pitch = (AlignUp(windows, kLanes) / block | 1) * block;
    in_elements = AlignUp(planes * plane, block);
    wide_elements = item == element ? 0 : std::max(in_elements, AlignUp(windows, kLanes) * lanes / 2);
  }

  uint64_t Bytes() const {
    const PoolAxis &rows = problem.rows, &columns = problem.columns;
    const int64_t row_slots = rows.out * row_pitch + (columns.kernel - 1) * columns.dilation;
    const auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    return BytesOf(PoolPlaneBuffers({size(in_elements), size(wide_elements), size(slots), size(lanes),
                                     size(row_slots), size(planes * rows.out * columns.out), size(out_pitch)},
                                    size(problem.item), size(problem.element)));
  }
  // Bytes of the Unified Buffer, or more than any has where one instruction does not reach all slots, or
  // where all windows of a row lie in the padding.
  uint64_t LimitedBytes() const {
    constexpr int64_t kMaxSlots = 255 * 8;  // slots that one transposition writes
    constexpr uint64_t kTooLarge = uint64_t{1} << 40;
    const PoolAxis &columns = problem.columns;
    const bool padding_alone = columns.Span(columns.out, columns.kernel) <= columns.padding;
    return std::max(plane + kLanes, windows) > kMaxSlots || padding_alone ? kTooLarge : Bytes();
  }

  const PoolProblem &problem;
  int64_t planes;
  int64_t plane;    // elements of a plane
  int64_t apart;    // planes from one lane to the next
  int64_t lanes;    // lanes of a slot
  int64_t windows;  // windows of a plane, with those between two rows, which are dropped
  int64_t row_pitch, slots, out_pitch, in_elements, wide_elements;  // as in PoolTiling
};

// bandwidth: bytes a cycle that a core reads.
inline PoolCost CostOf(const PoolPlaneLayout &layout, double bandwidth) {
  const PoolProblem &problem = layout.problem;
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  const int64_t item = problem.item, element = problem.element, planes = layout.planes;
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double groups = real(layout.lanes / PoolPlaneLayout::kLanes), windows = real(layout.windows);
  const double row_taps = real(std::max<int64_t>(1, rows.kernel - 1));
  const double column_taps = real(std::max<int64_t>(1, columns.kernel - 1));
  const double repeats = real(layout.lanes) / (256 / real(element));  // of a slot
  const double bytes_in = real(planes * layout.plane * item);
  const bool dense = columns.stride == 1;
  double compute = groups * VectorCycles(2, real(layout.plane + layout.windows) * real(element) / 16) +
                   row_taps * VectorCycles(real(rows.out), 1.5 * real(rows.out * columns.in) * repeats) +
                   column_taps * VectorCycles(dense ? 1 : std::ceil(repeats),
                                              1.5 * windows * (dense ? repeats : std::ceil(repeats))) +
                   VectorCycles(1, real(planes * layout.out_pitch * item) / 128);
  if (item != element) compute += VectorCycles(2, bytes_in / 128 + windows * repeats);
  if (problem.means) compute += VectorCycles(3, windows * repeats);
  return {bytes_in / bandwidth, compute, real(planes * rows.out * columns.out * item) / 32};
}

// Planes of the tile with the fewest modelled cycles, 0 where not even one plane fits. Tried are numbers of
// planes that fill the lanes, and numbers that all cores share evenly.
inline int64_t FindPlanes(const PoolProblem &problem, const Platform &platform, double *best_cycles) {
  int64_t best = 0;
  const int64_t cores = platform.vector_cores;
  const int64_t most = LargestFit(problem.planes, platform.ub_bytes,
                                  [&](int64_t n) { return PoolPlaneLayout(problem, n).LimitedBytes(); });
  const auto consider = [&](int64_t planes) {
    if (planes < 1 || planes > most) return;
    const double cycles = CostOf(PoolPlaneLayout(problem, planes), PoolBandwidth(platform))
                              .Cycles(CeilDiv(CeilDiv(problem.planes, planes), cores));
    if (best == 0 || cycles < *best_cycles) best = planes, *best_cycles = cycles;
  };
  if (most == 0) return 0;
  const int64_t lanes = PoolPlaneLayout(problem, 1).lanes;
  for (int64_t planes = lanes; planes <= most; planes += lanes) consider(planes);
  const int64_t fewest = CeilDiv(problem.planes, cores * most);
  for (int64_t rounds = fewest; rounds < fewest + 8; ++rounds)
    consider(CeilDiv(problem.planes, cores * rounds));
  return best;
}

template <typename Tiling>
Plan<Tiling> PlanPlanes(const PoolProblem &problem, int64_t planes, uint64_t key, const Platform &platform) {
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  const PoolPlaneLayout layout(problem, planes);
  Plan<Tiling> plan;
  Tiling &t = plan.tiling;
  problem.State(&t);
  plan.block_dim = StateTiles(1, 1, {planes, 1, 1}, platform.vector_cores, &t);
  PoolTile{planes, rows.out, columns.out, rows.kernel, columns.kernel}.State(&t);
  t.wholeRows = 1;
  t.inElements = static_cast<uint32_t>(layout.in_elements);
  t.wideElements = static_cast<uint32_t>(layout.wide_elements);
  t.chunk = static_cast<uint32_t>(layout.apart);
  t.rowPitch = static_cast<uint32_t>(layout.row_pitch);
  t.slots = static_cast<uint32_t>(layout.slots);
  t.slotLanes = static_cast<uint32_t>(layout.lanes);
  t.outPitch = static_cast<uint32_t>(layout.out_pitch);
  plan.tiling_key = key;
  plan.ub_bytes = layout.Bytes();
  return plan;
}

// The plan of a pooling call. windows_key and planes_key: tiling keys of the two kernels.
template <typename Tiling>
Plan<Tiling> PlanPool(const PoolProblem &problem, uint64_t windows_key, uint64_t planes_key,
                      const Platform &platform) {
  if (problem.planes == 0) return {};
  double window_cycles = 0, plane_cycles = 0;
  const PoolTile tile = FindPoolTile(problem, platform, &window_cycles);
  const int64_t planes = FindPlanes(problem, platform, &plane_cycles);
  if (tile.planes == 0 && planes == 0) {
    ThrowUbTooSmall(platform, std::min(PoolWindowLayout(problem, kSmallestTile).LimitedBytes(),
                                       PoolPlaneLayout(problem, 1).LimitedBytes()));
  }
  if (planes == 0 || (tile.planes > 0 && window_cycles < plane_cycles)) {
    return PlanWindows<Tiling>(problem, tile, windows_key, platform);
  }
  return PlanPlanes<Tiling>(problem, planes, planes_key, platform);
}

}  // namespace avo
