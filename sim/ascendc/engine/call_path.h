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

// Returns a number that tells the path from here to the frame `outermost` from other paths. It takes the
// frames next to the API call and the depth of the stack, so that it costs some loads. It is 0 where the
// frame pointers leave the stack, as they do in a kernel that was compiled without them.
uint64_t HashOfCallPath(const void *outermost);

// Returns the path itself; empty where the chain of frame pointers does not lead to `outermost`.
CallPath ReadCallPath(const void *outermost);

}  // namespace sim
