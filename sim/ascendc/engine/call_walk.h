// SPDX-License-Identifier: Apache-2.0
// The walk along the frames of a call path, from any frame on. A scalar access that traps (compiler/scalar_access.h)
// has no frame of its own: it makes one, which stands for a call at the trapped instruction.
#pragma once

#include "call_path.h"

namespace sim {

// What lies at the frame pointer of a function.
struct CallFrame {
  const CallFrame *caller;
  uintptr_t return_address;
};

// Frames that a hash looks at. Where the source line of an API call is known, these are those of the simulator and the
// API function, and some of the kernel. Where it is not, the path alone tells two calls apart, and the functions of
// CANN's headers lie between.
constexpr int kFramesBesidesLine = 7;
constexpr int kFramesWithoutLine = 24;

// As in call_path.h; `innermost` is the frame at which the path begins, null: that of the caller.
uint64_t HashOfCallPath(const void *outermost, const CallFrame *innermost, int frames);
CallPath ReadCallPath(const void *outermost, const CallFrame *innermost);

}  // namespace sim
