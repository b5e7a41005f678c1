// SPDX-License-Identifier: Apache-2.0
// Scalar accesses of kernels that are compiled against CANN's own headers. Such a kernel reads and writes the
// Unified Buffer and global memory by ordinary instructions of the host, at the addresses that the device
// would use:
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

namespace sim {

// Runs a kernel on this thread with its scalar accesses handled as above. `marked`: its accesses to UB have
// the prefix GS. Returns false where an access ended the block; its fault is in the core's log.
bool RunWithScalarAccesses(void (*invoke)(void *const *args), void *const *args, bool marked);

}  // namespace sim
