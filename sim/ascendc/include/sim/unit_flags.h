// SPDX-License-Identifier: Apache-2.0
// Unit flags: Mmad and Fixpipe order themselves by a bit for each 512 bytes of L0C, in place of events.
//
//   unitFlag 2, 3 of Mmad     waits until the bit is 0; 3 sets it when the product is complete
//   unitFlag 2, 3 of Fixpipe  waits until the bit is 1; 3 clears it when the product is copied
#pragma once

#include "../../engine/core.h"

namespace sim {

void CheckUnitFlag(Core &core, const char *name, uint8_t unit_flag, Where where);
// Waits for the flags of what the instruction touches in L0C. Call it before Core::Issue.
void AwaitUnitFlags(Core &core, const Instruction &instruction, uint8_t unit_flag);
// Changes these flags. Call it after Core::Issue.
void ChangeUnitFlags(Core &core, const Instruction &instruction, uint8_t unit_flag);
// Makes all flags 0, as SetFixPipeConfig does.
void ClearUnitFlags(Core &core);

}  // namespace sim
