// SPDX-License-Identifier: Apache-2.0
// CANN's kernel_operator.h, and after it what CANN's build scripts put before the source of a kernel: tiling data,
// tiling keys and kernel types.
#pragma once

#include_next <kernel_operator.h>

#undef inline  // CANN defines it: the standard library could not be included after it

#include "../kernel_scope.h"
