// SPDX-License-Identifier: Apache-2.0
// Flags in global memory, by which one core waits for another. The scheduler keeps them (engine/scheduler.h),
// so that a core that waits does not poll.
#pragma once

#include "../../engine/core.h"

namespace sim {

// IBSet and IBWait: the first waits until the flag is clear and sets it, the second waits until it is set and
// clears it. All pipes of the core end their work before.
void PassGmFlag(const char *name, int32_t block, int32_t event, bool set, Where where);

// WaitPreBlock and NotifyNextBlock: blocks work one after another, in the order of their numbers, in as many
// rounds as the kernel likes.
void StartBlockOrder(Where where);
void AwaitPreviousBlock(Where where);
void NotifyFollowingBlock(Where where);

}  // namespace sim
