// SPDX-License-Identifier: Apache-2.0
// Cycles of a vector instruction: its rate, and the banks its operands meet in.
#pragma once

#include "device_model.h"
#include "instruction.h"

namespace sim {

double VectorCycles(const DeviceModel &model, const Instruction &instruction);

}  // namespace sim
