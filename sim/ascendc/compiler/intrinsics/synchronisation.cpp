// SPDX-License-Identifier: Apache-2.0
#include "synchronisation.h"

#include "../../include/kernel_event.h"
#include "../intrinsic.h"

using sim::Core;
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
