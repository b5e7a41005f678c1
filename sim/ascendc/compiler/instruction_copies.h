// SPDX-License-Identifier: Apache-2.0
// Executable copies of instructions whose addresses count from GS (scalar_access.h).
#pragma once

#include "x86_instruction.h"

namespace sim {

struct InstructionCopy {
  MemoryInstruction instruction;
  const uint8_t *code = nullptr;  // null: the instruction is not understood
};

// The copy of the instruction at `code`, which goes on behind it. `reset`: GS is 0 again then.
InstructionCopy CopyOf(const uint8_t *code, bool reset);

}  // namespace sim
