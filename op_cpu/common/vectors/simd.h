// SPDX-License-Identifier: Apache-2.0
// Which instruction set CPU kernels run on. The source of a kernel is compiled once for each instruction set
// (hwy/foreach_target.h). The first call chooses the best one that the processor has.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace avo {

// Returns the names of the instruction sets that are compiled in and that this processor has, best first.
// "AMX" is AVX3 with products of tiles (tile_product.h). "…_LOADS" loads elements one by one from their
// places, where others gather them with one instruction: processors of AMD take less time for that.
std::vector<std::string> CpuTargets();

// Makes all kernels run on one of CpuTargets() from now on. Tests use it. Throws std::invalid_argument for
// any other name.
void UseCpuTarget(const std::string &name);

// At the first call, does the same for the name in the environment variable AVO_CPU_TARGET, if it is set.
void UseCpuTargetOfEnvironment();

// Whether a kernel that runs on AVX3 should multiply tiles.
bool UseTiles();

namespace internal {
extern std::atomic<bool> loads_elements;
}

// Whether a kernel should load elements one by one instead of gathering them.
inline bool LoadsElements() { return internal::loads_elements.load(std::memory_order_relaxed); }

}  // namespace avo

// Defines RunCpu of an operator, which calls `Run` of the chosen instruction set.
#define AVO_RUN_CPU(Run)                                           \
  HWY_EXPORT(Run);                                                 \
  void RunCpu(const Args &args, const ParallelFor &parallel_for) { \
    UseCpuTargetOfEnvironment();                                   \
    HWY_DYNAMIC_DISPATCH(Run)(args, parallel_for);                 \
  }
