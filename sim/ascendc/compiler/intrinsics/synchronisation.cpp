// SPDX-License-Identifier: Apache-2.0
#include "synchronisation.h"

#include "../../engine/core_state.h"
#include "../../engine/scheduler.h"
#include "../../include/kernel_event.h"
#include "../intrinsic.h"
#include "global_protocols.h"

using sim::Core;
using sim::CoreState;
using sim::GmProtocol;
using sim::PipeOf;
using sim::Unplaced;

void set_flag(pipe_t from, pipe_t to, event_t id) {
  Core::Current().SetFlag(PipeOf(from), PipeOf(to), id, Unplaced());
}

void wait_flag(pipe_t from, pipe_t to, event_t id) {
  Core::Current().WaitFlag(PipeOf(from), PipeOf(to), id, Unplaced());
}

void pipe_barrier(pipe_t pipe) {
  if (pipe == PIPE_ALL) {
    Core::Current().BarrierAll(Unplaced());
  } else {
    Core::Current().Barrier(PipeOf(pipe), Unplaced());
  }
}

void ffts_cross_core_sync(pipe_t pipe, uint64_t config) {
  Core::Current().CheckMayMeet("CrossCoreSetFlag", Unplaced());
  Core::Current().CrossCoreSet(config >> 4 & 3, PipeOf(pipe), config >> 8 & 15, Unplaced());
}

void wait_flag_dev(int64_t flag) { Core::Current().CrossCoreWait(static_cast<uint16_t>(flag), Unplaced()); }

// Loops that read words of other cores until these have changed them would never end where the other cores
// have no thread to run on. So each protocol waits in the scheduler before the loop, and the loop ends at its
// first pass.
//
// SyncAll with workspaces: a core counts up its word, then reads the words of all cores.
//
//   stub: all cores meet │ own word + 1, to global memory │ all meet again │ read all words, once │ stub
//
void __sync_all_stub(int32_t cores, bool) {
  CoreState &core = Core::Current().state();
  if (core.protocol.step == GmProtocol::Step::kOutside) {
    core.protocol = {GmProtocol::Step::kMeeting, static_cast<uint32_t>(cores)};
    core.scheduler->Meet(core, true, core.protocol.cores, Unplaced());
  } else {
    core.protocol = {};
  }
}

namespace sim {

bool HasCounted() {
  const GmProtocol &protocol = Core::Current().state().protocol;
  return protocol.step == GmProtocol::Step::kMet;
}

void MeetAfterCounting() {
  CoreState &core = Core::Current().state();
  if (core.protocol.step != GmProtocol::Step::kMeeting) return;
  core.protocol.step = GmProtocol::Step::kMet;
  core.scheduler->Meet(core, true, core.protocol.cores, Unplaced());
}

}  // namespace sim

namespace {

// The first call of a pair waits until the flag is not as the core will leave it, the second one leaves it
// so.
void PassFlag(const char *name, int32_t block, int32_t event, bool set) {
  CoreState &core = Core::Current().state();
  if (core.protocol.step == GmProtocol::Step::kOutside) {
    core.protocol.step = GmProtocol::Step::kFlag;
    core.scheduler->AwaitGmFlag(core, {block, event}, !set, name, Unplaced());
  } else {
    core.protocol = {};
    core.scheduler->ChangeGmFlag(core, {block, event}, set, name, Unplaced());
  }
}

}  // namespace

void __ib_set_stub(int32_t block, int32_t event, bool) { PassFlag("IBSet", block, event, true); }
void __ib_wait_stub(int32_t block, int32_t event, bool) { PassFlag("IBWait", block, event, false); }
