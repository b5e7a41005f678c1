// SPDX-License-Identifier: Apache-2.0
// How a kernel came to an API call. Compilers lay frames out like this when they keep frame pointers
// (-fno-omit-frame-pointer), so that a walk costs two loads for each frame:
//
//     frame of Issue    [ caller ●][ return address ]      the call of Issue, in an API function
//                                │
//     frame of CopyRows [ caller ●][ return address ]      the call of CopyRows, in Process
//                                │
//     frame of Process  [ caller ●][ return address ]      the call of Process, in the kernel's entry
//                                │
//     …                          │
//     the outermost frame ◀──────┘                         the launcher, which called the kernel's entry
#pragma once

#include <cstdint>
#include <vector>

namespace sim {

// Return addresses from an API call outwards. The last one lies in the function that calls the kernel
// (Kernel::invoke).
using CallPath = std::vector<uintptr_t>;

}  // namespace sim
