// SPDX-License-Identifier: Apache-2.0
// A library of the three kernels, which a test compiles against the small headers.
#include "kernels.h"

#include "compiler/kernel_library.h"

SIM_KERNEL_LIBRARY(kSmallKernels)
