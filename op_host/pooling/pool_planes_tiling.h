// SPDX-License-Identifier: Apache-2.0
// Pooling's choice between tiles of rows and tiles of whole planes (op_kernel/pooling/pool_planes.h).
#pragma once

#include <cmath>
#include <numeric>

#include "op_host/pooling/pool_tiling.h"

namespace avo {

// Buffers of a tile of whole planes, as the kernel's Init asks for them, and the cycles it takes.
struct PlaneBuffers {
  static constexpr int64_t kLanes = PoolBuffers::kLanes;

  PlaneBuffers(const PoolProblem &problem, int64_t planes) {
    const PoolAxis &rows = problem.rows, &columns = problem.columns;
    const int64_t item = problem.item, element = problem.element, block = 32 / item;
    const int64_t plane = rows.in * columns.in, outputs = rows.out * columns.out;
    apart = 32 / element / std::gcd(32 / element, plane);
    lanes = apart * AlignUp(CeilDiv(planes, apart), kLanes);
    // Rows with their padding are a whole number of steps, so that windows go on from row to row.
    row_pitch = AlignUp(columns.Span(columns.out, columns.kernel), columns.stride);
    const int64_t positions = rows.out * row_pitch / columns.stride;
    slots = std::max(plane + 2 * kLanes, AlignUp(positions, kLanes));
    out_pitch = (AlignUp(positions, kLanes) / block | 1) * block;
    in_elements = AlignUp(planes * plane, block);
    wide_elements = item == element ? 0 : std::max(in_elements, AlignUp(positions, kLanes) * lanes / 2);
    bytes = (slots + rows.out * row_pitch + (columns.kernel - 1) * columns.dilation) * lanes * element +
            wide_elements * element + 2 * (in_elements + AlignUp(planes * outputs, block)) * item +
            lanes * out_pitch * item + AlignUp<int64_t>(out_pitch / 8, 32);
    constexpr int64_t kMaxPositions = 255 * 8;  // of one transposition
    constexpr int64_t kTooLarge = int64_t{1} << 40;
    const bool padding_alone = columns.Span(columns.out, columns.kernel) <= columns.padding;
    if (std::max(plane + kLanes, positions) > kMaxPositions || padding_alone) bytes = kTooLarge;

    const auto real = [](int64_t n) { return static_cast<double>(n); };
    const auto cycles = [](double instructions, double repeats) { return 22 * instructions + repeats; };
    const double repeat = 256 / real(element), groups = real(lanes / kLanes);
    const double row_taps = real(std::max<int64_t>(1, rows.kernel - 1));
    const double column_taps = real(std::max<int64_t>(1, columns.kernel - 1)), chunks = real(lanes) / repeat;
    const bool dense = columns.stride == 1;
    bytes_in = real(planes * plane * item);
    bytes_out = real(planes * outputs * item);
    compute = groups * cycles(2, real(plane + positions) * real(element) / 16) +
              row_taps * cycles(real(rows.out), 1.5 * real(rows.out * columns.in) * chunks) +
              column_taps * cycles(dense ? 1 : std::ceil(chunks),
                                   1.5 * real(positions) * (dense ? chunks : std::ceil(chunks))) +
              cycles(1, real(planes * out_pitch * item) / 128);
    if (item != element) compute += cycles(2, bytes_in / 128 + real(positions) * chunks);
    if (problem.means) compute += cycles(3, real(positions) * chunks);
  }

  double Cycles(int64_t rounds, double bandwidth) const {
    return PipelineCycles(rounds, bytes_in / bandwidth, compute, bytes_out / 32);
  }

  int64_t apart, lanes, row_pitch, slots, out_pitch, in_elements, wide_elements, bytes;
  double bytes_in, bytes_out, compute;
};

// Planes of a tile, or 0 where none fit: rounds of whole lanes, or of planes that all cores share evenly.
inline int64_t FindPlanes(const PoolProblem &problem, const Platform &platform, double *best_cycles) {
  int64_t best = 0;
  const int64_t cores = platform.vector_cores;
  const int64_t most = LargestFit(problem.planes, platform.ub_bytes,
                                  [&](int64_t n) { return PlaneBuffers(problem, n).bytes; });
  const auto consider = [&](int64_t planes) {
    if (planes < 1 || planes > most) return;
    const PlaneBuffers buffers(problem, planes);
    const double cycles =
        buffers.Cycles(CeilDiv(CeilDiv(problem.planes, planes), cores), PoolBandwidth(platform));
    if (best == 0 || cycles < *best_cycles) best = planes, *best_cycles = cycles;
  };
  if (most == 0) return 0;
  const int64_t whole = PlaneBuffers(problem, 1).lanes;
  for (int64_t planes = whole; planes <= most; planes += whole) consider(planes);
  const int64_t fewest = CeilDiv(problem.planes, cores * most);
  for (int64_t rounds = fewest; rounds < fewest + 8; ++rounds)
    consider(CeilDiv(problem.planes, cores * rounds));
  return best;
}

template <typename Tiling>
Plan<Tiling> PlanPool(const PoolProblem &problem, uint64_t windows, uint64_t planes,
                      const Platform &platform) {
  double window_cycles = 0, plane_cycles = 0;
  if (problem.planes == 0) return {};
  const PoolTile tile = FindPoolTile(problem, platform, &window_cycles);
  const int64_t whole = FindPlanes(problem, platform, &plane_cycles);
  if (whole == 0 || window_cycles < plane_cycles)
    return PlanWindows<Tiling>(problem, tile, windows, platform);
  const PlaneBuffers buffers(problem, whole);
  Plan<Tiling> plan;
  plan.tiling_key = planes;
  Tiling &t = plan.tiling;
  problem.State(&t);
  t.planeGroups = CeilDiv(problem.planes, whole);
  t.rowTiles = t.columnTiles = 1;
  const PoolAxis &rows = problem.rows, &columns = problem.columns;
  PoolTile{whole, rows.out, columns.out, rows.kernel, columns.kernel}.State(&t);
  t.wholeRows = 1;
  t.inElements = static_cast<uint32_t>(buffers.in_elements);
  t.wideElements = static_cast<uint32_t>(buffers.wide_elements);
  t.chunk = static_cast<uint32_t>(buffers.apart);
  t.rowPitch = static_cast<uint32_t>(buffers.row_pitch);
  t.slots = static_cast<uint32_t>(buffers.slots);
  t.slotLanes = static_cast<uint32_t>(buffers.lanes);
  t.outPitch = static_cast<uint32_t>(buffers.out_pitch);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, t.planeGroups));
  return plan;
}

}  // namespace avo
