// SPDX-License-Identifier: Apache-2.0
// Kernels in libraries of their own. Such a library takes the place of kernels that are linked to the
// program: the simulated device runs them instead wherever a kernel of the same name is launched. It is how
// kernels run that were compiled against CANN's own AscendC headers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch.h"

namespace sim {

// The kernels of a library for one kind of core. A mixed kernel has two such sets, one compiled for cube
// cores and one for vector cores.
struct KernelSet {
  const Kernel *kernels = nullptr;
  size_t count = 0;
  bool cube = false;
  // Runs on the thread of a core before its kernel: takes the kernel's workspace.
  void (*prepare)(void *workspace) = nullptr;
  // The folders of CANN's headers, with colons between them, and the path of compiler/kernel_library.h, each
  // as the compiler was told it. Faults name the line outside of them from which the kernel calls the
  // headers.
  const char *header_folders = "";
  const char *own_header = "";
  bool marked = false;  // compiled by clang: accesses to UB have a prefix (compiler/scalar_access.h)
};

// A library calls it when it is loaded; the arrays live as long as the process.
void RegisterKernels(const KernelSet &set);

// What runs on a core in place of a kernel.
struct Replacement {
  void (*invoke)(void *const *args) = nullptr;
  void (*prepare)(void *workspace) = nullptr;
  bool marked = false;
};

// The replacement of a kernel for cube or vector cores; without an `invoke` where there is none. Loads the
// libraries of the folder AVO_SIM_KERNELS first, where that is set. Throws std::runtime_error where a library
// does not load.
Replacement ReplacementOf(const std::string &kernel, bool cube);

// Says whether a source file is in a header folder of a registered library, or is the simulator's.
bool InHeaderFolder(const std::string &file);

// Loads all libraries (*.so) of a folder. Throws std::runtime_error with the reason where one does not load.
void LoadKernels(const std::string &folder);

}  // namespace sim
