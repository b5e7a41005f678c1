// SPDX-License-Identifier: Apache-2.0
// Scalar accesses of kernels by pointers. A kernel that is compiled against CANN's own headers reads and
// writes the Unified Buffer and global memory so, by ordinary instructions of the host at the addresses that
// the device would use; so does any kernel that goes through a __gm__ pointer itself:
//
//     Unified Buffer   0 … 192 KiB      nothing is mapped there
//     global memory    device address   mapped without any permission
//
// So every access traps. The handler has it judged as an instruction of the scalar unit, and then runs the
// trapped instruction from a copy whose addresses count from the place where the simulator holds the bytes:
//
//     kernel                      copy
//     mov (%rax),%ecx   ──trap──▶ mov %gs:(%rax),%ecx     GS: host address of the memory minus its device
//     address add $1,%ecx       ◀──────── jmp back
//
// Clang tells the memories apart: its accesses to UB have the prefix GS already ("marked"), so that an access
// below 192 KiB without it is one through a null pointer. Such a kernel runs while GS is 0, and its copies
// set it back to 0.
//
// This needs neither instrumentation nor a change of the kernel, and it sees every access, whatever compiler
// made it.
#pragma once

#include <ucontext.h>

#include <csignal>

namespace sim {

// Before a kernel runs on this thread. `marked`: its accesses to UB have the prefix GS.
void BeginScalarAccesses(bool marked);

// In the handler of the signal: has the access judged, and lets the copy of its instruction go on. Throws
// BlockEnded where the access ends the block.
void HandleScalarAccess(const siginfo_t &info, ucontext_t *context);

// Whether two signals came at one instruction.
bool SamePlace(const ucontext_t &a, const ucontext_t &b);

}  // namespace sim
