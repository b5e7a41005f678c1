// SPDX-License-Identifier: Apache-2.0
// Runs a kernel for a stream and keeps its report.
#pragma once

#include <cstddef>
#include <vector>

#include "ascendc/engine/launch.h"
#include "device.h"

namespace sim::runtime {

struct KernelLaunch {
  const Kernel *kernel = nullptr;
  uint32_t block_dim = 0;
  uint64_t tiling_key = 0;
  std::vector<std::byte> tiling;
  // The workspace, where it is known: [begin, end).
  const void *workspace_begin = nullptr;
  const void *workspace_end = nullptr;
};

// Runs the kernel and returns when it has ended. Faults are printed, kept for simTakeReports, and returned as
// a failure.
ACL_FUNC_VISIBILITY Status RunKernel(Device &device, const KernelLaunch &launch,
                                     const std::vector<void *> &args);

}  // namespace sim::runtime
