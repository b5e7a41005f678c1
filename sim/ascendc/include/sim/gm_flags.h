// SPDX-License-Identifier: Apache-2.0
// Flags in global memory, by which one core waits for another. The scheduler keeps them (engine/scheduler.h),
// so that a core that waits does not poll.
#pragma once

#include "../../engine/core.h"

namespace sim {

// IBSet and IBWait: the first waits until the flag is clear and sets it, the second waits until it is set and
// clears it. All pipes of the core end their work before.
void PassGmFlag(const char *name, int32_t block, int32_t event, bool set, Where where);

// GroupBarrier: `waits` cores go on when `arrives` cores have come. Its workspace has 512 bytes for each core
// of the larger group, which the kernel has cleared. The message goes out on MTE3.
struct CoreGroup {
  uint64_t workspace;
  uint32_t arrives;
  uint32_t waits;
};
uint64_t WorkspaceOf(const CoreGroup &group);
void CheckGroup(const CoreGroup &group, Where where);
void ArriveInGroup(const CoreGroup &group, uint32_t index, Where where);
void WaitForGroup(const CoreGroup &group, uint32_t index, Where where);

// A group of cube cores with queues of messages in `workspace`; `start` and `size` count two for each of
// them.
struct CubeGroup {
  const uint8_t *workspace;
  uint32_t start;
  uint32_t size;
  uint32_t queues;
};
void CheckCubeGroup(const CubeGroup &group, uint64_t message_bytes, Where where);

// Where the end of UB begins in which a device writes its messages to other cores, of `bytes` and 1600 more.
// Buffers of the kernel there are a fault.
uint64_t EndOfUb(const char *name, uint64_t bytes, Where where);

// WaitPreBlock and NotifyNextBlock: blocks work one after another, in the order of their numbers, in as many
// rounds as the kernel likes.
void StartBlockOrder(Where where);
void AwaitPreviousBlock(Where where);
void NotifyFollowingBlock(Where where);

}  // namespace sim
