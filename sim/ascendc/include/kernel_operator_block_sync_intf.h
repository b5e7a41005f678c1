// SPDX-License-Identifier: Apache-2.0
// Synchronisation of the pipes of a core, and of cores.
#pragma once

#include "kernel_event.h"
#include "kernel_tensor.h"
#include "sim/gm_flags.h"

namespace sim {

inline void PassBarrier(pipe_t pipe, Where where) {
  if (pipe == PIPE_ALL) {
    Core::Current().BarrierAll(where);
  } else {
    Core::Current().Barrier(PipeOf(pipe), where);
  }
}

// Fails where the workspaces of a synchronisation through global memory are too small.
inline void CheckWorkspaces(const char *name, const AscendC::GlobalTensor<int32_t> &gm, uint64_t gm_bytes,
                            const LocalTensorBase &ub, uint64_t ub_bytes, Where where) {
  gm.CheckBounds(name, reinterpret_cast<uint64_t>(gm.GetPhyAddr()), gm_bytes, where);
  if (ub.bytes >= ub_bytes) return;
  Core::Current().Fail(
      FaultKind::kUbBounds, name, where,
      "ubWorkspace must hold " + std::to_string(ub_bytes) + " bytes; it has " + std::to_string(ub.bytes));
}

// IBSet and IBWait: a flag of 32 bytes for each event and block.
inline void PassFlagOfBlock(const char *name, const AscendC::GlobalTensor<int32_t> &gm,
                            const LocalTensorBase &ub, int32_t block, int32_t event, bool set, Where where) {
  const Core &core = Core::Current();
  const int64_t cores = int64_t{core.BlockNum()} * core.SubBlockNum();
  CheckRange(Core::Current(), FaultKind::kFlag, name, where, "blockIdx", block, 0, cores - 1);
  const int64_t flags = cores * event + block + 1;
  CheckWorkspaces(name, gm, static_cast<uint64_t>(flags) * kBlockBytes, ub, kBlockBytes, where);
  PassGmFlag(name, block, event, set, where);
}

}  // namespace sim

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
  sim::PassBarrier(pipe, where);
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
  const uint64_t needed = cores * sim::kBlockBytes;
  sim::CheckWorkspaces("SyncAll", gmWorkspace, needed, ubWorkspace, needed, where);
  core.SyncAllBlocks(isAIVOnly, where, static_cast<uint32_t>(usedCores));
}

// IBSet tells another core that this one has come so far, IBWait waits for it. Both name the flag by the
// block that sets it and by an event. Vector cores alone meet so.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                  int32_t blockIdx, int32_t eventID, sim::Where where = sim::Where::Here()) {
  if (sim::Core::Current().IsCube()) return;
  sim::PassFlagOfBlock("IBSet", gmWorkspace, ubWorkspace, blockIdx, eventID, true, where);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                   int32_t blockIdx, int32_t eventID, sim::Where where = sim::Where::Here()) {
  if (sim::Core::Current().IsCube()) return;
  sim::PassFlagOfBlock("IBWait", gmWorkspace, ubWorkspace, blockIdx, eventID, false, where);
}

// Vector cores work one after another, in the order of their blocks: each waits for the one before it and
// tells the next one. The workspaces have 32 bytes for each block, the one in UB 32 more.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace,
                                          LocalTensor<int32_t> &ubWorkspace,
                                          sim::Where where = sim::Where::Here()) {
  const sim::Core &core = sim::Core::Current();
  if (core.IsCube()) return;
  const uint64_t needed = uint64_t{core.BlockNum()} * core.SubBlockNum() * sim::kBlockBytes;
  sim::CheckWorkspaces("InitDetermineComputeWorkspace", gmWorkspace, needed, ubWorkspace,
                       needed + sim::kBlockBytes, where);
  sim::StartBlockOrder(where);
}
inline void WaitPreBlock(GlobalTensor<int32_t> &, LocalTensor<int32_t> &,
                         sim::Where where = sim::Where::Here()) {
  if (!sim::Core::Current().IsCube()) sim::AwaitPreviousBlock(where);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &, LocalTensor<int32_t> &,
                            sim::Where where = sim::Where::Here()) {
  if (!sim::Core::Current().IsCube()) sim::NotifyFollowingBlock(where);
}

// Kernels that the compiler joins to one (SuperKernel) may overlap from and to here. A kernel that runs alone
// has no neighbours.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart() {}
template <bool FORCE = false>
inline void WaitPreTaskEnd() {}

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
