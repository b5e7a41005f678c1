// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/tiling/platform.h"

#include "tiling/platform/platform_ascendc.h"

namespace avo {
namespace {

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;

uint64_t MemoryBytes(const PlatformAscendC &device, CoreMemType memory) {
  uint64_t bytes = 0;
  device.GetCoreMemSize(memory, bytes);
  return bytes;
}

uint64_t BytesPerCycle(const PlatformAscendC &device, CoreMemType memory) {
  uint64_t bandwidth = 0;
  device.GetCoreMemBw(memory, bandwidth);
  return bandwidth;
}

}  // namespace

Platform ReadPlatform(const PlatformAscendC &device) {
  Platform platform;
  platform.vector_cores = device.GetCoreNumAiv();
  platform.cube_cores = device.GetCoreNumAic();
  platform.ub_bytes = MemoryBytes(device, CoreMemType::UB);
  platform.l1_bytes = MemoryBytes(device, CoreMemType::L1);
  platform.l0a_bytes = MemoryBytes(device, CoreMemType::L0_A);
  platform.l0b_bytes = MemoryBytes(device, CoreMemType::L0_B);
  platform.l0c_bytes = MemoryBytes(device, CoreMemType::L0_C);
  platform.l2_bytes = MemoryBytes(device, CoreMemType::L2);
  platform.hbm_bytes_per_cycle = BytesPerCycle(device, CoreMemType::HBM);
  platform.l2_bytes_per_cycle = BytesPerCycle(device, CoreMemType::L2);
  return platform;
}

}  // namespace avo
