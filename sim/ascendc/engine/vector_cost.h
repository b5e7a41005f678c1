// SPDX-License-Identifier: Apache-2.0
// The cycles of a vector instruction: those by its rate, and those that conflicts of memory banks add.
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
