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

// The replacement of a kernel for cube or vector cores; without an `invoke` where there is none. Loads what
// the environment's AVO_SIM_KERNELS names first. Throws std::runtime_error where a library does not load, and
// where a list of libraries names this kernel and no library has it.
Replacement ReplacementOf(const std::string &kernel, bool cube);

// Says whether a source file is in a header folder of a registered library, or is the simulator's.
bool InHeaderFolder(const std::string &file);

// Loads libraries: all of a folder (*.so), or those of a list. A list is a text file, whose lines have fields
// that tabs separate:
//
//     headers  WHAT         what the libraries were compiled against, for reports
//     library  FILE         a library, relative to the list's folder
//     kernel   NAME         a kernel that a library has; without the library it must not run
//     missing  NAME  WHY    a kernel that no library has, with the reason: it must not run
//
// So a kernel of the list never runs silently in the form that is linked to the program. Kernels that a list
// does not name do, which are those of the simulator itself, such as its strided copies. Throws
// std::runtime_error with the reason where a library does not load or the list is broken.
void LoadKernels(const std::string &path);

// What the replacement of a kernel was compiled against; empty where the kernel has no replacement.
std::string HeadersOf(const std::string &kernel);

}  // namespace sim
