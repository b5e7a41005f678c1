// SPDX-License-Identifier: Apache-2.0
#include "call_walk.h"

namespace sim {
namespace {

// The frame of the caller, or null where the frame pointer leaves the stack between here and `outermost`. All
// that is read lies in that stretch, so that a register with any other value does no harm.
inline const CallFrame *CallerOf(const CallFrame *frame, const CallFrame *outermost) {
  const CallFrame *caller = frame->caller;
  const bool aligned = reinterpret_cast<uintptr_t>(caller) % alignof(CallFrame) == 0;
  return caller > frame && caller <= outermost && aligned ? caller : nullptr;
}

inline uint64_t HashFrom(const CallFrame *frame, const CallFrame *outermost, int frames) {
  uint64_t hash = 0;
  for (int i = 0; i < frames && frame != outermost; ++i) {
    hash = (hash << 9 | hash >> 55) ^ frame->return_address;
    frame = CallerOf(frame, outermost);
    if (frame == nullptr) return 0;
  }
  return hash + reinterpret_cast<uintptr_t>(frame);
}

inline CallPath PathFrom(const CallFrame *frame, const CallFrame *outermost) {
  CallPath path;
  while (frame != outermost) {
    path.push_back(frame->return_address);
    frame = CallerOf(frame, outermost);
    if (frame == nullptr) return {};
  }
  if (!path.empty()) path.pop_back();  // in the launcher itself
  return path;
}

}  // namespace

__attribute__((noinline)) uint64_t HashOfCallPath(const void *outermost, const CallFrame *innermost,
                                                  int frames) {
  const auto *first =
      innermost != nullptr ? innermost : static_cast<const CallFrame *>(__builtin_frame_address(0));
  return HashFrom(first, static_cast<const CallFrame *>(outermost), frames);
}

__attribute__((noinline)) CallPath ReadCallPath(const void *outermost, const CallFrame *innermost) {
  const auto *first =
      innermost != nullptr ? innermost : static_cast<const CallFrame *>(__builtin_frame_address(0));
  return PathFrom(first, static_cast<const CallFrame *>(outermost));
}

}  // namespace sim
