// SPDX-License-Identifier: Apache-2.0
// The cycles of a vector instruction: those by its rate, and those that conflicts of memory banks add.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device_model.h"
#include "instruction.h"

namespace sim {

struct VectorCycles {
  Cycles total;
  double conflict = 0;  // of these, cycles in which the instruction waits for banks
};

VectorCycles CyclesOf(const DeviceModel &model, const Instruction &instruction);

// Remembers the cycles of instructions that a core issued before with the same operands, which loops do.
class VectorCosts {
 public:
  VectorCycles Of(const DeviceModel &model, const Instruction &instruction);

 private:
  // All that CyclesOf looks at, in a fixed number of words: those of the instruction, then of each operand.
  static constexpr int kWordsOfOperand = 5;
  static constexpr size_t kEntries = 256;
  using Key = std::array<uint64_t, 3 + kWordsOfOperand * kMaxOperands>;
  struct Entry {
    int words = 0;  // 0: empty
    Key key;
    VectorCycles cycles;
  };
  static int KeyOf(const Instruction &instruction, Key *key);

  std::vector<Entry> entries_;
};

}  // namespace sim
