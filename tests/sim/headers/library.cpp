// SPDX-License-Identifier: Apache-2.0
// A library of the three kernels, which tests compile against the small headers, and against CANN's where
// they are.
#define SMALL_LIBRARY  // small_scalars tells which of its forms runs
#include "kernels.h"

#include "compiler/kernel_library.h"

SIM_KERNEL_LIBRARY(kSmallKernels)
