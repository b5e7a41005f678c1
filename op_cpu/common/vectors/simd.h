// SPDX-License-Identifier: Apache-2.0
// Which instruction set CPU kernels run on. A kernel's file is compiled once for each (hwy/foreach_target.h),
// from one source; the best that the processor has is chosen at the first call.
#pragma once

#include <string>
#include <vector>

namespace avo {

// Names of the instruction sets that are compiled in and that this processor has, best first. "AMX" is AVX3
// and products of tiles (tile_product.h).
std::vector<std::string> CpuTargets();

// Keeps to one of CpuTargets() from now on: for tests. Throws std::invalid_argument for any other name.
void UseCpuTarget(const std::string &name);

// The same for the one that the environment variable AVO_CPU_TARGET names at the first call; nothing without
// it.
void UseCpuTargetOfEnvironment();

// Whether a kernel that runs on AVX3 shall multiply tiles.
bool UseTiles();

}  // namespace avo

// RunCpu of an operator: calls `Run` of the chosen instruction set.
#define AVO_RUN_CPU(Run)                                           \
  HWY_EXPORT(Run);                                                 \
  void RunCpu(const Args &args, const ParallelFor &parallel_for) { \
    UseCpuTargetOfEnvironment();                                   \
    HWY_DYNAMIC_DISPATCH(Run)(args, parallel_for);                 \
  }
