// SPDX-License-Identifier: Apache-2.0
// Synchronisation of the pipes of a core, and of cores.
#pragma once

#include "kernel_event.h"
#include "kernel_tensor.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t eventID, sim::Where where = sim::Where::Here()) {
  constexpr sim::PipePair pipes = sim::PipesOf(event);
  sim::Core::Current().SetFlag(pipes.from, pipes.to, eventID, where);
}

template <HardEvent event>
inline void WaitFlag(int32_t eventID, sim::Where where = sim::Where::Here()) {
  constexpr sim::PipePair pipes = sim::PipesOf(event);
  sim::Core::Current().WaitFlag(pipes.from, pipes.to, eventID, where);
}

template <pipe_t pipe>
inline void PipeBarrier(sim::Where where = sim::Where::Here()) {
  if constexpr (pipe == PIPE_ALL) {
    sim::Core::Current().BarrierAll(where);
  } else {
    sim::Core::Current().Barrier(sim::PipeOf(pipe), where);
  }
}

// Waits for the loads and stores of the scalar unit itself.
template <MemDsbT arg0>
inline void DataSyncBarrier(sim::Where where = sim::Where::Here()) {
  sim::Core::Current().Barrier(sim::Pipe::S, where);
}

template <bool isAIVOnly = true>
inline void SyncAll(sim::Where where = sim::Where::Here()) {
  sim::Core &core = sim::Core::Current();
  core.CheckMayMeet("SyncAll", where);
  core.SyncAllBlocks(isAIVOnly, where);
}

// SyncAll through flags in GM: the two workspaces have 32 bytes for each core. usedCores 0: all cores.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                    const int32_t usedCores = 0, sim::Where where = sim::Where::Here()) {
  sim::Core &core = sim::Core::Current();
  const uint64_t cores = usedCores != 0 ? usedCores : core.BlockNum() * core.SubBlockNum();
  const uint64_t needed = cores * 32;
  gmWorkspace.CheckBounds("SyncAll", reinterpret_cast<uint64_t>(gmWorkspace.GetPhyAddr()), needed, where);
  if (ubWorkspace.bytes < needed) {
    core.Fail(sim::FaultKind::kUbBounds, "SyncAll", where,
              "ubWorkspace must hold 32 bytes a core, " + std::to_string(needed) + " bytes; it has " +
                  std::to_string(ubWorkspace.bytes));
  }
  core.SyncAllBlocks(isAIVOnly, where, static_cast<uint32_t>(usedCores));
}

// modeId 0: all cores of one kind; 1: the vector cores of a block; 2: its cube core and its vector cores.
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, sim::Where where = sim::Where::Here()) {
  static_assert(modeId <= 2, "modeId must be 0, 1 or 2");
  static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "pipe must not be PIPE_S or PIPE_ALL");
  sim::Core &core = sim::Core::Current();
  core.CheckMayMeet("CrossCoreSetFlag", where);
  core.CrossCoreSet(modeId, sim::PipeOf(pipe), flagId, where);
}

// Waits for the flag of that number. All later instructions of the core wait, whatever their pipe, as on
// Atlas A2.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, sim::Where where = sim::Where::Here()) {
  sim::Core::Current().CrossCoreWait(flagId, where);
}

template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(TEventID id, sim::Where where = sim::Where::Here()) {
    sim::Core::Current().SetFlag(sim::PipeOf(src), sim::PipeOf(dst), id, where);
  }
  void WaitFlag(TEventID id, sim::Where where = sim::Where::Here()) {
    sim::Core::Current().WaitFlag(sim::PipeOf(src), sim::PipeOf(dst), id, where);
  }
};

}  // namespace AscendC
