// SPDX-License-Identifier: Apache-2.0
// The walk along the frames of a call path, from any frame on. A scalar access that traps
// (compiler/scalar_access.h) has no frame of its own: it makes one, which stands for a call at the trapped
// instruction.
#pragma once

#include "call_path.h"

namespace sim {

// What lies at the frame pointer of a function.
struct CallFrame {
  const CallFrame *caller;
  uintptr_t return_address;
};

// Frames that a hash looks at. Where the source line of an API call is known, these are those of the
// simulator and the API function, and some of the kernel. Where it is not, the path alone tells two calls
// apart, and the functions of CANN's headers lie between.
constexpr int kFramesBesidesLine = 7;
constexpr int kFramesWithoutLine = 24;

// Returns a number that tells the path from `innermost` to the frame `outermost` from other paths;
// `innermost` null: from here. It takes `frames` frames next to the API call and the depth of the stack, so
// that it costs some loads. It is 0 where the frame pointers leave the stack, as they do in a kernel that was
// compiled without them.
uint64_t HashOfCallPath(const void *outermost, const CallFrame *innermost, int frames);

// Returns the path itself; empty where the chain of frame pointers does not lead to `outermost`.
CallPath ReadCallPath(const void *outermost, const CallFrame *innermost);

}  // namespace sim
