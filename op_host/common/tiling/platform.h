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

// Reads a device through the public tiling API, which is the same on CANN and on the simulated device.
Platform ReadPlatform(const platform_ascendc::PlatformAscendC &device);

}  // namespace avo
