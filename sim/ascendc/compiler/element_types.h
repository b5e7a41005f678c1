// SPDX-License-Identifier: Apache-2.0
// half and bfloat16_t for kernels that are compiled against CANN's own headers. Clang has both built in. It
// needs them so: an object of a class cannot be assigned to where its memory is an address space of its own
// (keywords.h).
#pragma once

#ifdef SIM_ADDRESS_SPACES
using half = _Float16;
using bfloat16_t = __bf16;
#else
#include "../include/sim/float16_types.h"
#endif
