// SPDX-License-Identifier: Apache-2.0
// The description of a device: sizes, and the constants of the cycle model, each with its source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "constant.h"
#include "instruction.h"

namespace sim {

// Constants of the cycle model, in cycles of the AI core unless said otherwise. Names such as "add" and
// "copy" are the experiments of tests/sim/calibration/published.json that a value was derived from. A value
// that one measurement alone supports is marked [single]: docs/simulator.md counts these marks. Behind each
// value stands its doubt (constant.h): for a published one .03 to .05; for a fitted one about as far as it
// moves when any one experiment is left out of the fit (tests/sim/calibration/cross_validate.py), half as far
// where no other experiment says anything about it, and more where the residuals of its own cases are larger;
// for a single measurement and for an assumption .15 and more.
struct CostModel {
  // Host to first instruction. "add" on one core: task time less core time is 0.46 us; on 48 cores it is 2.53
  // us at best, and what is more than that is spread between the cores. So each block costs the dispatcher
  // 0.043 us.
  Constant launch_us = {0.46, 0.2};
  Constant launch_us_per_block = {0.043, 0.3};
  // A core's first instructions come out of a cold instruction cache, and TPipe sets up its buffers. "add":
  // scalar time of 2.8 us for 85 iterations and 8.2 us for 341, so 1.0 us that does not depend on them;
  // "codes": one row alone.
  Constant startup = {2600, 0.3};

  // Scalar unit. "add": 14..21 ns an iteration of 13 calls.
  Constant issue = {2.5, 0.3};
  // GetValue and SetValue in UB: "add/scalar" has two reads, then a write of their sum, in 34.2 cycles;
  // "pairs" eight reads, then four writes, in 51. So reads follow each other, and what uses their values
  // waits.
  Constant scalar_access = {1.5, 0.4};
  Constant scalar_wait = {29.7, 0.2};
  Constant scalar_line_miss = {220, 0.4};  // first touch of a 64 B line of GM: one latency

  // Vector unit. "add": 86.1, 278.4 and 149.6 cycles for 32 repeats of 2 cycles, 128 of 2 and 127 of 1: 22
  // more each. Instructions that take longer to start are in vector_rates.h.
  Constant vector_startup = {22, 0.15};
  // "banks": a read and the previous repeat's write in one bank cost 113 cycles instead of 64 for 64 repeats.
  // [single]
  Constant bank_read_write = {0.766, 0.3};

  // GM -> UB. "copy": copies of one and of 64 rows of 128 B take 20.6 and 532 cycles, 8.1 a row and 12.5 a
  // copy.
  Constant copy_issue = {12.5, 0.2};
  Constant copy_row = {8.1, 0.2};
  // "add" on one core: 701 cycles for two copies of 8 KB and the latency of the second; the split into
  // latency and rate is by the common 119 ns of an HBM access on a loaded device ("add" on 48 cores, small
  // copies).
  Constant read_latency = {220, 0.2};
  Constant read_hbm_bytes = {36, 0.15};  // a cycle and core: bytes in flight over the latency of HBM
  Constant read_l2_bytes = {72, 0.3};    // "copy/quarters", in which three of four reads hit the L2 [single]
  // On-chip -> GM. "add": 295 cycles for 8 KB, 1243 for 32 KB on 48 cores.
  Constant write_latency = {26, 0.3};
  Constant write_bytes = {32, 0.15};
  // A line that many cores read at a time answers them one after the other. "copy/same-address" and
  // "fractals/same-address": 17.9 and 9.04 cycles a row of 128 B for 48 and 24 cores that read past the L2,
  // and their tasks take another tenth longer.
  Constant same_line = {0.4, 0.2};
  Constant same_line_in_l2 = {0.25, 0.4};  // "product/wide", in which all cores read the same rows [single]

  // GM -> L1. A row costs a constant and its bytes, at 32 B a cycle from HBM and 110 from the L2
  // (platform_config). The constant: "fractals" has rows of 128 B from HBM in 5.3 cycles; "product" on 24
  // cores rows of 256 B in 3.6 and of 512 B in 6, on one core rows of 128 B in 2.6.
  Constant cube_copy_row = {1.5, 0.35};
  Constant cube_read_hbm_bytes = {32, 0.2};
  Constant cube_read_l2_bytes = {110, 0.3};
  // "fractals/staggered": rows of 128 B past the L2 take 7.9 cycles. [single]
  Constant cube_past_l2_bytes = {18.8, 0.45};
  // Rows that are converted to fractals and do not start at a multiple of 32 B go by data blocks:
  // "fractals/unaligned", "product/unaligned".
  Constant cube_unaligned_block = {2.2, 0.35};
  // Rows shorter than a sector wait for each other: "product/thin", rows of 32 B. [single]
  Constant cube_short_row = {21, 0.4};
  // Cores at the far end of the L2 get less of it. "product" on 24 cores: the last one ends 6 to 13 % after
  // the mean; with 2 x 12 parts it does not.
  Constant cube_l2_spread = {0.08, 0.5};
  // L0C to GM: 992 cycles for a tile of 128 rows of 512 B.
  Constant cube_write_bytes = {68, 0.15};

  // Between on-chip memories, bytes a cycle by the memory written (API reference, "Theoretical performance of
  // cube instructions"): 256 to L0A, 128 to L0B, 32 to the bias table and the fixpipe buffer, 128 from L0C to
  // L1; others: assumed. "product" on one core: 47 cycles a tile more than that, for five instructions one
  // after the other.
  Constant local_copy_bytes = {128, 0.05};
  Constant l0a_bytes = {256, 0.05};
  Constant table_bytes = {32, 0.05};
  Constant local_copy_issue = {5, 0.2};
  Constant local_copy_latency = {22, 0.2};
  // MTE1 takes so many times as long while MTE2 fills L1: all of "product" with two buffers, 1.16 to 1.32.
  Constant l1_shared = {1.2, 0.2};
  // Matrix product, beside its steps. "product": 61 and 63 cycles where each waits for its operands, 9 to 10
  // where they follow each other; eight in a row 113 and 124 (API reference, "UnitFlag").
  Constant cube_steps = {1, 0.03};  // of 16 x 16 x 16 a cycle (published)
  Constant cube_startup = {8, 0.2};
  Constant cube_latency = {52, 0.15};

  const Constant &LocalCopyBytes(Space to) const {
    return to == Space::L0A ? l0a_bytes : to == Space::BT || to == Space::FB ? table_bytes : local_copy_bytes;
  }

  // HBM, as a part of its peak. "copy" and "add/bypass": 1.42 to 1.48 TB/s of 1.8 until the last core ends;
  // the mean core ends 2 % earlier.
  Constant hbm_efficiency = {0.82, 0.08};
  // A byte that leaves the L2 takes so many times as long as one that is read: "add/double", "rearrange",
  // "polar/33M".
  Constant hbm_written = {1.4, 0.15};
  // Rows of 128 B that go past the L2 take so many times as long: "copy/staggered". [single]
  Constant hbm_short_row = {1.5, 0.3};
  // L2. "copy/quarters" reads 5.9 TB/s from it, which is more than its published peak. [single]
  Constant l2_over_peak = {1.13, 0.2};
  // What can be kept of its bytes: "polar/8M" needs exactly 96 MB of 96 MB and finds none of it. [single]
  Constant l2_usable = {0.9, 0.15};
  // GM moves in lines of 512 B (published). Rows of 2046 B at any address cost 28 % more than 2048 B at
  // multiples of 512 B, a line more for four ("copy/unaligned"); copies that start 256 B into a line
  // ("add/banks") cost nothing more.
  uint32_t gm_line = 512;
  uint32_t l2_sector = 128;  // "copy": counters of the device count a miss for each 128 B
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

  // Cores that run a launch at a time, of `cubes` cube cores and `vectors` vector cores in all. Each block of
  // a mixed launch has a cube core, which bounds it, and one or two vector cores.
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
