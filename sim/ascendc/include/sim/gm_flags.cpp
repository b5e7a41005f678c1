// SPDX-License-Identifier: Apache-2.0
#include "gm_flags.h"

#include "../../engine/core_state.h"
#include "../../engine/scheduler.h"
#include "operand.h"

namespace sim {

namespace {

constexpr int32_t kTurn = -1;  // the event of "it is this block's turn"; IBSet takes events from 0 on

int32_t VectorBlock(const Core &core) {
  return static_cast<int32_t>(core.BlockIdx() * core.SubBlockNum() + core.SubBlockIdx());
}

void Pass(const char *name, int32_t block, int32_t event, bool set, Where where) {
  CoreState &core = Core::Current().state();
  core.scheduler->AwaitGmFlag(core, {block, event}, !set, name, where);
  core.scheduler->ChangeGmFlag(core, {block, event}, set, name, where);
}

}  // namespace

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
