// SPDX-License-Identifier: Apache-2.0
// Cycles of a vector instruction: its rate, and the banks its operands meet in.
#pragma once

#include "device_model.h"
#include "instruction.h"

namespace sim {

struct VectorCycles {
  double total = 0;
  double conflict = 0;  // of these, cycles in which the instruction waits for banks
};

VectorCycles CyclesOf(const DeviceModel &model, const Instruction &instruction);

}  // namespace sim
