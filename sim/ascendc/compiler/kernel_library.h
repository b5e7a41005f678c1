// SPDX-License-Identifier: Apache-2.0
// Makes a library of kernels that are compiled against CANN's own headers. Include it after the kernels.
#pragma once

#include <iterator>

#include "../engine/kernel_libraries.h"
#include "include/kernel_operator.h"

namespace sim {

// CANN's GetUserWorkspace ignores its argument and gives what lies behind the workspace of CANN's own.
inline void SetWorkspace(void *workspace) {
  g_sysWorkspaceReserved = nullptr;
  const auto offset = reinterpret_cast<uint64_t>(AscendC::GetUserWorkspace(nullptr));
  g_sysWorkspaceReserved = reinterpret_cast<__gm__ uint8_t *>(reinterpret_cast<uint64_t>(workspace) - offset);
}

}  // namespace sim

// `kernels`: an array of sim::Kernel.
#define SIM_KERNEL_LIBRARY(kernels)                                                                      \
  __attribute__((constructor)) static void RegisterKernelsOfLibrary() {                                  \
    sim::RegisterKernels({std::data(kernels), std::size(kernels), g_coreType == AscendC::AIC, sim::SetWorkspace}); \
  }
