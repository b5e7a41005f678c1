// SPDX-License-Identifier: Apache-2.0
#include "call_path.h"

namespace sim {
namespace {

struct Frame {
  const Frame *caller;
  uintptr_t return_address;
};

// Calls visit(return address) for each frame up to the outermost one. Returns false where a frame pointer
// leaves the stack between here and there. What is read lies in that stretch, so that any value is safe.
template <typename Visit>
inline bool Walk(const Frame *frame, const Frame *outermost, Visit &&visit) {
  while (frame != outermost) {
    visit(frame->return_address);
    const Frame *caller = frame->caller;
    const bool aligned = reinterpret_cast<uintptr_t>(caller) % alignof(Frame) == 0;
    if (caller <= frame || caller > outermost || !aligned) return false;
    frame = caller;
  }
  return true;
}

}  // namespace

__attribute__((noinline)) uint64_t HashOfCallPath(const void *outermost) {
  uint64_t hash = 1;
  const bool whole =
      Walk(static_cast<const Frame *>(__builtin_frame_address(0)), static_cast<const Frame *>(outermost),
           [&hash](uintptr_t address) { hash = (hash ^ address) * 0x9E3779B97F4A7C15; });
  return whole ? hash : 0;
}

__attribute__((noinline)) CallPath ReadCallPath(const void *outermost) {
  CallPath path;
  const bool whole =
      Walk(static_cast<const Frame *>(__builtin_frame_address(0)), static_cast<const Frame *>(outermost),
           [&path](uintptr_t address) { path.push_back(address); });
  if (!whole || path.empty()) return {};
  path.pop_back();  // in the launcher itself
  return path;
}

}  // namespace sim
