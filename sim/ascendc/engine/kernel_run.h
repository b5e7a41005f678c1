// SPDX-License-Identifier: Apache-2.0
// Runs a kernel so that nothing which it does ends the process. What the kernel does apart from calls of the
// API arrives as a signal of its thread, and is judged, or ends the block with a fault:
//
//   SIGSEGV      it reads or writes memory by a pointer of its own: an access of the scalar unit
//                (compiler/scalar_access.h)
//   SIGFPE       it divides an integer by zero
//   the timer    it computes and issues nothing (watch.h)
//
// Signals at any other time go to the handler that was there before.
#pragma once

namespace sim {

// `marked`: the kernel's accesses to UB have the prefix GS. Returns false where a fault ended the block
// without an exception; it is in the core's log.
bool RunKernel(void (*invoke)(void *const *args), void *const *args, bool marked);

// The signal of the timer, which comes to the thread that runs the kernel.
int TimerSignal();

}  // namespace sim
