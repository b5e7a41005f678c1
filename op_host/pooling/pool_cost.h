// SPDX-License-Identifier: Apache-2.0
// Modelled cycles of tiles of pooling, by which tiling chooses between them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/platform.h"

namespace avo {

// What one tile of pooling takes.
struct PoolCost {
  double load, compute, store;  // cycles of the copies in, of vector instructions, of the copies out

  // Cycles of `rounds` tiles, one after another: loads, computing and stores of neighbouring tiles overlap.
  double Cycles(int64_t rounds) const {
    constexpr double kLatency = 300;
    return load + static_cast<double>(rounds - 1) * std::max({load, store, compute}) + compute + store +
           kLatency;
  }
};

// Cycles of vector instructions: each starts in 22 cycles, then takes one a repeat.
inline double VectorCycles(double instructions, double repeats) { return 22 * instructions + repeats; }

// Bytes a cycle that each core reads while all cores read. The bandwidth of HBM is stated for a cube core and
// its vector cores; published copies reach 84 % of it.
inline double PoolBandwidth(const Platform &platform) {
  const double cores = static_cast<double>(std::max<int64_t>(1, platform.vector_cores));
  return std::max(1.0,
                  0.84 * static_cast<double>(platform.hbm_bytes_per_cycle * platform.cube_cores) / cores);
}

}  // namespace avo
