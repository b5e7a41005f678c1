// SPDX-License-Identifier: Apache-2.0
#include "gm_flags.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "../../engine/core_state.h"
#include "../../engine/scheduler.h"
#include "operand.h"

namespace sim {

namespace {

constexpr uint64_t kGroupLine = 512;  // bytes of a GroupBarrier's workspace for each core
constexpr int32_t kTurn = -1;         // the event of "it is this block's turn"; IBSet takes events from 0 on

int32_t VectorBlock(const Core &core) {
  return static_cast<int32_t>(core.BlockIdx() * core.SubBlockNum() + core.SubBlockIdx());
}

void Pass(const char *name, int32_t block, int32_t event, bool set, Where where) {
  CoreState &core = Core::Current().state();
  core.scheduler->AwaitGmFlag(core, {block, event}, !set, name, where);
  core.scheduler->ChangeGmFlag(core, {block, event}, set, name, where);
}

// A core may only look at the workspace of a group that exists and that somebody has cleared. The flags
// themselves lie in the scheduler, so that the words stay zero.
void ReadWorkspace(const char *name, const CoreGroup &group, Where where) {
  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  Operand operand;
  operand.name = "groupWorkspace";
  operand.space = Space::GM;
  operand.address = group.workspace;
  operand.row_bytes = static_cast<uint32_t>(WorkspaceOf(group));
  operand.alignment = 1;
  instruction.uncached = true;
  instruction.Add(operand);
  Core &core = Core::Current();
  core.Issue(instruction);
  const std::byte *words = core.Memory(Space::GM, group.workspace);
  const std::byte *end = words + operand.row_bytes;
  const std::byte *used = std::find_if(words, end, [](std::byte one) { return one != std::byte{0}; });
  if (used == end) return;
  core.Fail(FaultKind::kFlag, name, where,
            "groupWorkspace must hold zeros before the group uses it, byte " + std::to_string(used - words) +
                " is " + std::to_string(std::to_integer<int>(*used)));
}

void CheckIndex(const char *name, const char *parameter, uint32_t index, uint32_t size, Where where) {
  CheckRange(Core::Current(), FaultKind::kFlag, name, where, parameter, index, 0, int64_t{size} - 1);
}

}  // namespace

uint64_t EndOfUb(const char *name, uint64_t bytes, Where where) {
  const uint64_t taken = 1600 + bytes;
  Core &core = Core::Current();
  const uint64_t all = core.BytesOf(Space::UB), buffers = core.queues().Allocated(Space::UB);
  const uint64_t begin = all - std::min(all, taken);
  if (buffers > begin) {
    core.Fail(FaultKind::kUbCapacity, name, where,
              "it takes the last " + std::to_string(taken) + " bytes of the Unified Buffer, from byte " +
                  std::to_string(begin) + " on, but the kernel's buffers take " + std::to_string(buffers) +
                  " bytes");
  }
  return begin;
}

uint64_t WorkspaceOf(const CoreGroup &group) { return kGroupLine * std::max(group.arrives, group.waits); }

void CheckGroup(const CoreGroup &group, Where where) {
  constexpr const char *kName = "GroupBarrier";
  Core &core = Core::Current();
  EndOfUb(kName, 0, where);
  core.CheckMayMeet(kName, where);
  if (group.workspace % kGroupLine != 0) {
    core.Fail(FaultKind::kAlignment, kName, where, "groupWorkspace must start on a multiple of 512 bytes");
  }
  const int64_t cores = int64_t{core.BlockNum()} * core.SubBlockNum();
  CheckRange(core, FaultKind::kFlag, kName, where, "arriveSizeIn", group.arrives, 1, cores);
  CheckRange(core, FaultKind::kFlag, kName, where, "waitSizeIn", group.waits, 1, cores);
}

void ArriveInGroup(const CoreGroup &group, uint32_t index, Where where) {
  constexpr const char *kName = "GroupBarrier::Arrive";
  CheckIndex(kName, "arriveIndex", index, group.arrives, where);
  EndOfUb(kName, 0, where);  // there may be more buffers than when the barrier was made
  ReadWorkspace(kName, group, where);
  Core &core = Core::Current();
  const int32_t event = core.FetchEventId(Pipe::S, Pipe::MTE3, where);
  core.SetFlag(Pipe::S, Pipe::MTE3, event, where);
  core.WaitFlag(Pipe::S, Pipe::MTE3, event, where);
  CoreState &state = core.state();
  const auto flag = [&](uint32_t wait) {
    return Scheduler::GmFlag{static_cast<int32_t>(index), static_cast<int32_t>(wait), group.workspace};
  };
  for (uint32_t wait = 0; wait < group.waits; ++wait) {  // the last round must be over
    state.scheduler->AwaitGmFlag(state, flag(wait), false, kName, where);
  }
  for (uint32_t wait = 0; wait < group.waits; ++wait) {
    state.scheduler->ChangeGmFlag(state, flag(wait), true, kName, where, Pipe::MTE3);
  }
}

void WaitForGroup(const CoreGroup &group, uint32_t index, Where where) {
  constexpr const char *kName = "GroupBarrier::Wait";
  CheckIndex(kName, "waitIndex", index, group.waits, where);
  ReadWorkspace(kName, group, where);
  CoreState &state = Core::Current().state();
  for (uint32_t arrive = 0; arrive < group.arrives; ++arrive) {
    const Scheduler::GmFlag flag{static_cast<int32_t>(arrive), static_cast<int32_t>(index), group.workspace};
    state.scheduler->AwaitGmFlag(state, flag, true, kName, where);
    state.scheduler->ChangeGmFlag(state, flag, false, kName, where);
  }
}

void CheckCubeGroup(const CubeGroup &group, uint64_t message_bytes, Where where) {
  constexpr const char *kName = "CubeResGroupHandle";
  constexpr int64_t kMostQueues = 64;  // of a cube core
  Core &core = Core::Current();
  core.CheckMayMeet(kName, where);
  if (!core.IsCube()) EndOfUb(kName, message_bytes, where);
  if (reinterpret_cast<uint64_t>(group.workspace) % 64 != 0) {
    core.Fail(FaultKind::kAlignment, kName, where, "workspace must start on a multiple of 64 bytes");
  }
  const int64_t cores = int64_t{2} * core.BlockNum();
  const auto even = [&](const char *parameter, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high && value % 2 == 0) return;
    FailRange(core, FaultKind::kFlag, kName, where, parameter,
              "even and in [" + std::to_string(low) + ", " + std::to_string(high) + "]", value);
  };
  even("blockStart", group.start, 0, cores - 2);
  even("blockSize", group.size, 2, cores - group.start);
  const int64_t cubes = group.size / 2;
  CheckRange(core, FaultKind::kFlag, kName, where, "msgQueueSize", group.queues, cubes, kMostQueues * cubes);
  const int64_t each = (group.queues + cubes - 1) / cubes;
  if ((cubes - 1) * each >= group.queues) {
    core.Fail(FaultKind::kFlag, kName, where,
              "each cube core takes " + std::to_string(each) + " of the msgQueueSize " +
                  std::to_string(group.queues) + " queues, so that none is left for the last of " +
                  std::to_string(cubes) + " cube cores");
  }
}

void PassGmFlag(const char *name, int32_t block, int32_t event, bool set, Where where) {
  Core &core = Core::Current();
  core.CheckMayMeet(name, where);
  if (event < 0) FailRange(core, FaultKind::kFlag, name, where, "eventID", ">= 0", event);
  core.BarrierAll(where);
  Pass(name, block, event, set, where);
}

void StartBlockOrder(Where where) {
  Core &core = Core::Current();
  core.CheckMayMeet("InitDetermineComputeWorkspace", where);
  core.BarrierAll(where);
  core.registers.served = 0;
}

void AwaitPreviousBlock(Where where) {
  Core &core = Core::Current();
  core.BarrierAll(where);
  const int32_t block = VectorBlock(core);
  // The first block starts the first round.
  if (block != 0 || core.registers.served != 0) Pass("WaitPreBlock", block, kTurn, false, where);
}

void NotifyFollowingBlock(Where where) {
  Core &core = Core::Current();
  core.BarrierAll(where);
  const auto blocks = static_cast<int32_t>(core.BlockNum() * core.SubBlockNum());
  Pass("NotifyNextBlock", (VectorBlock(core) + 1) % blocks, kTurn, true, where);
  ++core.registers.served;
}

}  // namespace sim
