// SPDX-License-Identifier: Apache-2.0
// Kernels of operator types: the place of the kernel binaries of CANN's packages, which are found by operator
// type and dtypes.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "graph/types.h"

namespace sim {
struct Kernel;
}

namespace sim::operators {

// Registers the kernel of one combination of dtypes: those of the inputs, then those of the outputs. `kernel`
// lives as long as the process.
__attribute__((visibility("default"))) void AddKernel(const char *type,
                                                      std::initializer_list<ge::DataType> dtypes,
                                                      const Kernel &kernel);

}  // namespace sim::operators
