// SPDX-License-Identifier: Apache-2.0
// Choice of tiles. The best tile fits the Unified Buffer and leaves the least work on the busiest core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_kernel/common/copies/row_copy_buffers.h"

namespace avo {

// Returns the largest n in [0, limit] with bytes(n) <= budget, or 0. bytes(n) must not decrease with n.
template <typename Bytes>
int64_t LargestFit(int64_t limit, uint64_t budget, Bytes bytes) {
  int64_t low = 0, high = limit;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (static_cast<uint64_t>(bytes(middle)) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Rejects a call on a device whose Unified Buffer does not hold the smallest tile, which takes `least` bytes.
[[noreturn]] inline void ThrowUbTooSmall(const Platform &platform, uint64_t least) {
  throw std::invalid_argument("the Unified Buffer has " + std::to_string(platform.ub_bytes) +
                              " bytes, the smallest tile takes " + std::to_string(least));
}

// A tile, and how many tiles there are. A unit is what tiles are cut by along a row: elements, periods, ….
struct Tile {
  int64_t rows = 0;    // of the tile; 0 where not even the smallest tile fits
  int64_t units = 0;   // of the tile, along a row
  int64_t groups = 0;  // tiles across the rows
  int64_t tiles = 0;   // tiles along a row
};

// What FindTile chooses from.
struct TileSpace {
  int64_t rows;        // of the problem
  int64_t units;       // of the problem, along a row
  int64_t least_rows;  // of a tile
  int64_t most_rows;   // of a tile
  int64_t most_units;  // of a tile
  int64_t granule;     // the units of a tile are rounded up to a multiple of this where that fits
};

// Returns the modelled cycles of a launch of `items` tiles: each has at most `tile_bytes` bytes, all have
// `all_bytes`. Blocks are dispatched one after the other. On the busiest core a tile passes three stages (in,
// compute, out). Stages of different tiles overlap, so filling and draining this pipeline takes two more
// stages. A stage takes a fixed latency, of two copies and a dozen vector instructions, and the time to move
// its bytes.
inline double TileCycles(int64_t items, double tile_bytes, double all_bytes, const Platform &platform) {
  constexpr double kLatencyCycles = 600;
  constexpr double kDispatchCycles = 80;  // a block: 2.1 us from 1 to 48 blocks, as published for Atlas A2
  const double bytes_per_cycle = platform.hbm_bytes_per_cycle > 0 ? platform.hbm_bytes_per_cycle : 1;
  const double blocks = static_cast<double>(std::min<int64_t>(items, platform.vector_cores));
  const double rounds = static_cast<double>(CeilDiv<int64_t>(items, platform.vector_cores));
  const double core_bytes = std::max(tile_bytes, rounds * all_bytes / static_cast<double>(items));
  return blocks * kDispatchCycles + (core_bytes + 2 * tile_bytes) / bytes_per_cycle +
         (rounds + 2) * kLatencyCycles;
}

// Returns the best tile. ub_bytes(rows, units): bytes of the Unified Buffer that a tile takes; gm_bytes(rows,
// units): bytes of global memory that it moves.
template <typename UbBytes, typename GmBytes>
Tile FindTile(const TileSpace &space, const Platform &platform, UbBytes ub_bytes, GmBytes gm_bytes) {
  Tile best;
  double best_cycles = 0;
  int64_t most_units = LargestFit(std::min(space.units, space.most_units), platform.ub_bytes,
                                  [&](int64_t units) { return ub_bytes(space.least_rows, units); });
  // Where a row has several tiles, their units are multiples of the granule, if one granule fits.
  if (most_units < space.units && most_units >= space.granule)
    most_units = AlignDown(most_units, space.granule);
  if (most_units < 1) return best;
  const int64_t fewest = CeilDiv(space.units, most_units);
  const int64_t last = std::min<int64_t>(space.units, fewest + platform.vector_cores);
  for (int64_t tiles = fewest; tiles <= last; ++tiles) {
    const int64_t units = std::min(most_units, AlignUp(CeilDiv(space.units, tiles), space.granule));
    const int64_t fit =
        LargestFit(space.most_rows, platform.ub_bytes, [&](int64_t rows) { return ub_bytes(rows, units); });
    // Halve the rows while that may spread the work better.
    for (int64_t rows = std::max(fit, space.least_rows);; rows = std::max(space.least_rows, rows / 2)) {
      const int64_t groups = CeilDiv(space.rows, rows);
      const int64_t along = CeilDiv(space.units, units);
      const double tile_bytes = gm_bytes(rows, units);
      const double all_bytes =
          tile_bytes * static_cast<double>(space.rows * space.units) / static_cast<double>(rows * units);
      const double cycles = TileCycles(groups * along, tile_bytes, all_bytes, platform);
      if (best.rows == 0 || cycles < best_cycles) {
        best = {rows, units, groups, along};
        best_cycles = cycles;
      }
      if (rows == space.least_rows) break;
    }
  }
  return best;
}

// How TensorCopy (op_kernel/common/copies/row_copy.h) cuts a dense tensor into pieces: `units` elements each,
// at most `tiles` of them. It takes TensorCopyBuffers(units, item) of the Unified Buffer.
inline Tile FindCopyTile(int64_t elements, int64_t item, const Platform &platform) {
  constexpr int64_t kGranuleBytes = 512;             // what global memory moves at full speed
  constexpr int64_t kMaxCopyBytes = (1 << 21) - 32;  // blockLen of DataCopyPad
  const int64_t granule = kGranuleBytes / item;
  const auto ub_bytes = [&](int64_t, int64_t units) {
    return BytesOf(TensorCopyBuffers(AlignUp(units, granule), item));
  };
  const auto gm_bytes = [&](int64_t, int64_t units) { return 2.0 * units * item; };
  Tile tile = FindTile({1, elements, 1, 1, kMaxCopyBytes / item, granule}, platform, ub_bytes, gm_bytes);
  if (tile.rows == 0) ThrowUbTooSmall(platform, ub_bytes(1, 1));
  tile.units = AlignUp(tile.units, granule);
  return tile;
}

}  // namespace avo
