// SPDX-License-Identifier: Apache-2.0
// The call path of a trapped instruction, as frames of engine/call_walk.h: it stands for a call at the
// instruction.
//
//     inner   [ outer ●][ the trapped instruction + 1 ]            a return address lies behind its call
//                     │
//     outer   [ RBP ●][ return address of the function ]           only where the function has no frame of
//     its own
//
// Compilers give a function that calls none no frame, even with -fno-omit-frame-pointer: its return address
// is found by its unwind tables, once for each instruction.
#pragma once

#include <ucontext.h>

#include "../engine/call_walk.h"

namespace sim {

class TrappedCall {
 public:
  // Within the handler of the signal.
  explicit TrappedCall(const ucontext_t &context);
  TrappedCall(const TrappedCall &) = delete;
  const CallFrame *innermost() const { return known_ ? frames_ : nullptr; }

 private:
  bool known_ = false;   // on x86-64 hosts
  CallFrame frames_[2];  // the walk goes to ever higher addresses
};

}  // namespace sim
