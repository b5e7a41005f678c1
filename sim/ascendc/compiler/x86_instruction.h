// SPDX-License-Identifier: Apache-2.0
// Reads one x86-64 instruction that accesses memory: its length, and what the access is.
#pragma once

#include <cstdint>

namespace sim {

struct MemoryInstruction {
  uint32_t length = 0;  // 0: not understood
  uint32_t bytes = 0;   // of the access
  bool reads = false;
  bool writes = false;
  bool gs = false;  // has the prefix GS
};

// Understands the instructions that compilers make of scalar accesses for the base instruction set (SSE2).
MemoryInstruction ReadInstruction(const uint8_t *code);

}  // namespace sim
