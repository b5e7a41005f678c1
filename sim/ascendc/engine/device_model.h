// SPDX-License-Identifier: Apache-2.0
// The description of a device: sizes, and the constants of the cycle model, each with its source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instruction.h"

namespace sim {

// Constants of the cycle model, in cycles of the AI core unless said otherwise. "Add", "copy" and "banks" are
// the published measurements in tests/sim/calibration/published.json from which a value was derived.
struct CostModel {
  // Host to first instruction. Add on one core: task time less core time is 0.46 us; on 48 cores it is 2.53
  // us at best, and what is more than that is spread between the cores. So each block costs the dispatcher
  // 0.043 us.
  double launch_us = 0.46;
  double launch_us_per_block = 0.043;
  // A core's first instructions come out of a cold instruction cache. Add's scalar time is 8.2 us for 341
  // iterations of a core and 2.8 us for 85: 21 ns each and 1.0 us that does not depend on them. Half of that
  // (1000 cycles) is charged, before the first instruction. The half is an assumption: code is fetched as it
  // is reached, so the rest falls into the loop's first round, under copies that already run. No published
  // time can tell: 0.5 us is 0.3 % of the shortest.
  double startup = 1000;

  // Scalar unit. Add: 14..21 ns an iteration of 13 calls. A GetValue or SetValue: 18.5 ns for two reads, one
  // write and the addition between them.
  double issue = 2.5;
  double scalar_access = 11.4;
  double scalar_line_miss = 220;  // first touch of a 64 B line of GM: one latency

  // Vector unit. Add: 86.1, 278.4 and 149.6 cycles for 32 repeats of 2 cycles, 128 of 2 and 127 of 1: 22 more
  // each.
  double vector_startup = 22;
  // Banks: a read and the previous repeat's write in one bank cost 113 cycles instead of 64 for 64 repeats.
  double bank_read_write = 0.766;

  // GM -> on-chip. Copies of one and of 64 rows of 128 B take 20.6 and 532 cycles: 8.1 a row and 12.5 an
  // instruction.
  double copy_issue = 12.5;
  double copy_row = 8.1;
  // Add on one core: 701 cycles for two copies of 8 KB and the latency of the second; the split into latency
  // and rate is by the common 119 ns of an HBM access on a loaded device (Add on 48 cores, small copies).
  double read_latency = 220;
  double read_hbm_bytes = 36;  // a cycle and core: bytes in flight over the latency of HBM
  double read_l2_bytes = 72;   // repeated rounds over a quarter: 5.9 TB/s on 48 cores
  // On-chip -> GM. Add: 295 cycles for 8 KB, 1243 for 32 KB on 48 cores.
  double write_latency = 26;
  double write_bytes = 32;
  // Same address: 17.9 cycles a 128 B row when 48 cores read one tile: a line answers one core every 0.373
  // cycles.
  double same_line = 0.373;

  // Cube cores. "Products" are published half products of 8192 x 8192 x 8192 in tiles of 128 x 256 x 64 and
  // 64 x 64 x 64 (asc-devkit, 05_best_practices/01_matrix_compute/matmul_high_performance), on one core and
  // on 24. GM to L1: from the L2 a product on 20 cores reads 92 bytes a cycle and core, latencies included,
  // from HBM assumed in the proportion of a vector core. One core takes 514 and 1380 cycles for 128 and 384
  // rows of 128 B: 3.4 a row; on 20 cores, where latencies overlap, 2.4.
  double cube_read_l2_bytes = 96;
  double cube_read_hbm_bytes = 48;
  double cube_copy_row = 2.9;
  // L0C to GM: 992 cycles for a tile of 128 rows of 512 B.
  double cube_write_bytes = 68;

  // Between on-chip memories, bytes a cycle by the memory written (API reference, "Theoretical performance of
  // cube instructions"): 256 to L0A, 128 to L0B, 32 to the bias table and the fixpipe buffer, 128 from L0C to
  // L1; others: assumed. Products: 47 cycles a tile more than that, for five instructions one after the
  // other.
  double local_copy_bytes = 128;
  double l0a_bytes = 256;
  double table_bytes = 32;
  double local_copy_issue = 5;
  double local_copy_latency = 22;
  // Matrix product, beside its steps. Products: 61 and 63 cycles where each waits for its operands, 9 to 10
  // where they follow each other; eight in a row 113 and 124 (API reference, "UnitFlag").
  double cube_startup = 8;
  double cube_latency = 52;

  double LocalCopyBytes(Space to) const {
    return to == Space::L0A ? l0a_bytes : to == Space::BT || to == Space::FB ? table_bytes : local_copy_bytes;
  }

  // HBM. Four rounds over 302 MB: 1208 MB in 816 us, 1.48 TB/s of 1.8; Add without L2 allocation: 1.53.
  double hbm_efficiency = 0.84;
  // GM moves in lines of 512 B (published). Rows of 2046 B at any address cost 28 % more than 2048 B at
  // multiples of 512 B, a line more for four; copies that start 256 B into a line (Add without bank
  // conflicts) cost nothing more.
  uint32_t gm_line = 512;
  uint32_t l2_sector =
      128;  // the row of 128 B is fetched without its neighbours: copy of 64x64 tiles, 1.37 TB/s
};

struct DeviceModel {
  std::string soc;
  uint32_t cube_cores = 0;
  uint32_t vector_cores = 0;
  uint64_t bytes[kSpaces] = {};  // capacity of each on-chip memory of one core; GM: HBM of the device
  uint64_t l2_bytes = 0;
  double clock_ghz = 0;
  double hbm_bytes_per_second = 0;
  double l2_bytes_per_second = 0;
  CostModel cost;

  // Cores that run a launch at a time, of `cubes` cube cores and `vectors` vector cores in all. Each block of a
  // mixed launch has a cube core, which bounds it, and one or two vector cores.
  uint32_t CoresAtOnce(size_t cubes, size_t vectors) const {
    if (cubes == 0) return vector_cores;
    return cube_cores * static_cast<uint32_t>(1 + vectors / cubes);
  }

  // Throws std::invalid_argument, which lists the known devices, for a name that is none of them.
  static const DeviceModel &Find(const std::string &soc);
  // This device with another number of vector cores (two for each cube core) and other bytes of Unified
  // Buffer in a core; 0: as it is. Throws std::invalid_argument where there can be no such device. It is
  // never freed.
  const DeviceModel &Resized(uint32_t vector_core_count, uint64_t ub_bytes) const;
  static std::vector<std::string> Names();
};

}  // namespace sim
