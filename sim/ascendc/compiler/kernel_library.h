// SPDX-License-Identifier: Apache-2.0
// Makes a library of kernels that are compiled against CANN's own headers. Include it after the kernels.
#pragma once

#ifndef __x86_64__
#error \
    "kernels on CANN's own headers run on x86-64 hosts alone: their scalar accesses are x86-64 instructions that trap"
#endif

#include <iterator>

#include "../engine/kernel_libraries.h"
#include "include/kernel_operator.h"

// The build says where CANN's headers are: -DSIM_HEADER_FOLDERS="\"/usr/cann/include:/usr/cann/impl\"".
// Without it faults name lines of these headers as if they were the kernel's.
#ifndef SIM_HEADER_FOLDERS
#define SIM_HEADER_FOLDERS ""
#endif

namespace sim {

constexpr const char *kKernelLibraryHeader = __FILE__;
#ifdef SIM_ADDRESS_SPACES
constexpr bool kMarked = true;
#else
constexpr bool kMarked = false;
#endif

// CANN's GetUserWorkspace ignores its argument and gives what lies behind the workspace of CANN's own. Where
// a block has cores of both kinds, the cube core clears the messages of Matmul there and tells the vector
// cores: CANN's build scripts put this before a kernel that includes matmul_intf.h.
static inline void SetWorkspace(void *workspace) {
  g_sysWorkspaceReserved = nullptr;
  const auto offset = reinterpret_cast<uint64_t>(AscendC::GetUserWorkspace(nullptr));
  g_sysWorkspaceReserved = reinterpret_cast<__gm__ uint8_t *>(reinterpret_cast<uint64_t>(workspace) - offset);
#if defined(LIB_MATMUL_MATMUL_INTF_H) && !defined(ASCENDC_CUBE_ONLY)
  if constexpr (g_coreType == AscendC::AIC) {
    if (HasVectorCores()) AscendC::clearWorkspace(g_sysWorkspaceReserved);
  }
#endif
}

}  // namespace sim

// `kernels`: an array of sim::Kernel.
#define SIM_KERNEL_LIBRARY(kernels)                                                                         \
  __attribute__((constructor)) static void RegisterKernelsOfLibrary() {                                     \
    sim::RegisterKernels({std::data(kernels), std::size(kernels), g_coreType == AscendC::AIC,               \
                          sim::SetWorkspace, SIM_HEADER_FOLDERS, sim::kKernelLibraryHeader, sim::kMarked}); \
  }
