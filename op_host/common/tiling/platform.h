// SPDX-License-Identifier: Apache-2.0
// What tiling may know about a device. ReadPlatform fills it; tests fill it themselves.
#pragma once

#include <cstdint>

namespace platform_ascendc {
class PlatformAscendC;
}

namespace avo {

struct Platform {
  uint32_t vector_cores = 0;  // AIV
  uint32_t cube_cores = 0;    // AIC
  uint64_t ub_bytes = 0;      // Unified Buffer of one vector core
  uint64_t l1_bytes = 0;      // L1 and L0 of one cube core
  uint64_t l0a_bytes = 0;
  uint64_t l0b_bytes = 0;
  uint64_t l0c_bytes = 0;
  uint64_t l2_bytes = 0;
  uint64_t hbm_bytes_per_cycle = 0;  // per core
  uint64_t l2_bytes_per_cycle = 0;   // per core
};

// Memory of the Unified Buffer that functions of AscendC take for themselves on Atlas A2, at a fixed address
// and whatever the kernel has there. A kernel that calls one of them keeps its buffers below; `check` finds
// kernels whose tilings do not name the row. docs/tiling.md also has the functions that take what buffers
// leave.
struct TakenByApi {
  const char *function;
  uint64_t offset;
  uint64_t bytes;
};
// Select with a scalar, or with a selMask that has a bit for each lane of all repeats.
inline constexpr TakenByApi kTakenBySelect{"Select", 184 * 1024, 128};
// AddDeqRelu in all its forms, 2048 elements at a time.
inline constexpr TakenByApi kTakenByAddDeqRelu{"AddDeqRelu", 184 * 1024, 8 * 1024};

// The device as a kernel has it that calls the function: with the Unified Buffer below what the function
// takes. A device of tests may end before.
inline Platform Below(const TakenByApi &taken, const Platform &device) {
  Platform platform = device;
  if (platform.ub_bytes > taken.offset) platform.ub_bytes = taken.offset;
  return platform;
}

// Reads a device through the public tiling API, which is the same on CANN and on the simulated device.
Platform ReadPlatform(const platform_ascendc::PlatformAscendC &device);

}  // namespace avo
