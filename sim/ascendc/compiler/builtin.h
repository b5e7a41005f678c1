// SPDX-License-Identifier: Apache-2.0
// All that CANN's device compiler has built in. Kernels that are compiled against CANN's own AscendC headers
// include this file before anything else (-include).
#pragma once

// Clang tells the memories of a core apart, unless SIM_ONE_ADDRESS_SPACE says that it must not.
#if defined(__clang__) && !defined(SIM_ONE_ADDRESS_SPACE)
#define SIM_ADDRESS_SPACES
#endif

#ifdef SIM_PROGRAM
// Beside host code the headers of 9.x must not make macros of DT_FLOAT and its like, which are enumerators
// there.
#define __ASCC_DEVICE__
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absent.h"
#include "element_types.h"
#include "enumerations.h"
#include "intrinsics.h"
#include "keywords.h"

#include "../include/sim/c_library.h"

// From 9.0 on: functions that are found without the name of their namespace, as the device compiler does.
namespace __asc_aicore {}
using namespace __asc_aicore;

// Marks for CANN's profiler.
namespace bisheng::cce {
inline void metrics_prof_start() {}
inline void metrics_prof_stop() {}
template <pipe_t>
void mark_stamp(uint16_t) {}
}  // namespace bisheng::cce
