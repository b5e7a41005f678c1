// SPDX-License-Identifier: Apache-2.0
#include "call_path.h"

namespace sim {
namespace {

// Frames that a hash looks at: those of the simulator and the API function, and some of the kernel.
constexpr int kHashedFrames = 7;

struct Frame {
  const Frame *caller;
  uintptr_t return_address;
};

// The frame of the caller, or null where the frame pointer leaves the stack between here and `outermost`. All
// that is read lies in that stretch, so that a register with any other value does no harm.
inline const Frame *CallerOf(const Frame *frame, const Frame *outermost) {
  const Frame *caller = frame->caller;
  const bool aligned = reinterpret_cast<uintptr_t>(caller) % alignof(Frame) == 0;
  return caller > frame && caller <= outermost && aligned ? caller : nullptr;
}

}  // namespace

__attribute__((noinline)) uint64_t HashOfCallPath(const void *outermost) {
  const auto *last = static_cast<const Frame *>(outermost);
  const auto *frame = static_cast<const Frame *>(__builtin_frame_address(0));
  uint64_t hash = 0;
  for (int i = 0; i < kHashedFrames && frame != last; ++i) {
    hash = (hash << 9 | hash >> 55) ^ frame->return_address;
    frame = CallerOf(frame, last);
    if (frame == nullptr) return 0;
  }
  return hash + reinterpret_cast<uintptr_t>(frame);
}

__attribute__((noinline)) CallPath ReadCallPath(const void *outermost) {
  const auto *last = static_cast<const Frame *>(outermost);
  CallPath path;
  for (const auto *frame = static_cast<const Frame *>(__builtin_frame_address(0)); frame != last;) {
    path.push_back(frame->return_address);
    frame = CallerOf(frame, last);
    if (frame == nullptr) return {};
  }
  if (!path.empty()) path.pop_back();  // in the launcher itself
  return path;
}

}  // namespace sim
