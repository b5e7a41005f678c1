// SPDX-License-Identifier: Apache-2.0
// Some vector cores wait until some others have come so far.
#pragma once

#include "kernel_macros.h"
#include "sim/gm_flags.h"

namespace AscendC {

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

template <PipeMode pipeMode>
class GroupBarrier {
  static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: pipeMode must be PipeMode::MTE3_MODE");

 public:
  GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn,
               sim::Where where = sim::Where::Here())
      : group_{reinterpret_cast<uint64_t>(groupWorkspace), arriveSizeIn, waitSizeIn} {
    if (!sim::Core::Current().IsCube()) sim::CheckGroup(group_, where);
  }

  // The indices are those within the group that arrives and the group that waits.
  void Arrive(uint32_t arriveIndex, sim::Where where = sim::Where::Here()) {
    if (!sim::Core::Current().IsCube()) sim::ArriveInGroup(group_, arriveIndex, where);
  }
  void Wait(uint32_t waitIndex, sim::Where where = sim::Where::Here()) {
    if (!sim::Core::Current().IsCube()) sim::WaitForGroup(group_, waitIndex, where);
  }
  uint64_t GetWorkspaceLen() { return sim::WorkspaceOf(group_); }

 private:
  sim::CoreGroup group_;
};

}  // namespace AscendC
