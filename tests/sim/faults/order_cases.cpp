// SPDX-License-Identifier: Apache-2.0
// Missing synchronisation: the device may reorder this work, between pipes and between blocks.
#include "harness.h"
#include "twice_plus.h"

using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

namespace {

void Correct(const Arguments &arguments) {
  TPipe pipe;
  TwicePlus op;
  op.Init(arguments.self, arguments.other, arguments.out, &pipe);
  op.Process();
}

// Two tiles in buffers without queues.
struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile * kTiles);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile * kTiles);
    workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.workspace), kTile * kTiles);
    pipe.InitBuffer(buffer, 2 * kTile * sizeof(float));
    x = buffer.Get<float>(kTile);
    y = buffer.GetWithOffset<float>(kTile, kTile * sizeof(float));
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> x, y;
  GlobalTensor<float> self, out, workspace;
};

template <HardEvent event>
void Order() {
  AscendC::SetFlag<event>(EVENT_ID0);
  AscendC::WaitFlag<event>(EVENT_ID0);
}

void CorrectFlags(const Arguments &arguments) {
  Setup s(arguments);
  for (int tile = 0; tile < 2; ++tile) {
    AscendC::DataCopy(s.x, s.self[tile * kTile], kTile);
    Order<HardEvent::MTE2_V>();
    AscendC::Muls(s.y, s.x, 2.0f, kTile);
    Order<HardEvent::V_MTE3>();
    AscendC::DataCopy(s.out[tile * kTile], s.y, kTile);
    Order<HardEvent::V_MTE2>();
    Order<HardEvent::MTE3_V>();
  }
}

void CopyThenCompute(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::DataCopy(s.x, s.self, kTile);
  FAULT_HERE;
  AscendC::Muls(s.y, s.x, 2.0f, kTile);
}

void ComputeThenCopy(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.out, s.x, kTile);
}

void ReuseAfterCopyOut(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(s.out, s.x, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.x, s.self, kTile);
}

void ReuseAfterCompute(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::DataCopy(s.x, s.self, kTile);
  Order<HardEvent::MTE2_V>();
  AscendC::Muls(s.y, s.x, 2.0f, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.x, s.self[kTile], kTile);
}

void OverlappingCopies(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::DataCopy(s.x, s.self, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.x[kTile / 2], s.self[kTile], kTile / 2);
}

// The copy from GM does not wait for the copy to the same bytes of GM.
void ThroughGm(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(s.workspace, s.x, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.y, s.workspace, kTile);
}

// The copy to GM does not wait for the copy from there.
void BackToGm(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.y, 1.0f, kTile);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(s.x, s.self, kTile);
  FAULT_HERE;
  AscendC::DataCopy(s.self, s.y, kTile);
}

// The first instruction of all touches the first byte of all.
void VectorAfterScalar(const Arguments &arguments) {
  Setup s(arguments);
  for (uint32_t i = 0; i < 8; ++i) s.x.SetValue(i, 1.0f);
  FAULT_HERE;
  AscendC::Muls(s.y, s.x, 2.0f, 8);
}

void VectorAfterVector(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  FAULT_HERE;
  AscendC::Muls(s.y, s.x, 2.0f, kTile);
}

void ScalarAfterVector(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  FAULT_HERE;
  s.x.GetValue(3);
}

// Automatic synchronisation orders the instructions of the two cases above.
void CorrectByAutoSync(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  AscendC::Muls(s.y, s.x, 2.0f, kTile);
  s.x.SetValue(3, s.y.GetValue(0));
  AscendC::Adds(s.y, s.x, 1.0f, kTile);
}

// The scalar unit reads a mask that V computed from the first copy, and that waits for this copy as well; V
// has issued more since, and had waited for the second copy before. The next copy goes to one of the two.
template <bool first>
void CopyAgain(const Arguments &arguments) {
  Setup s(arguments);
  const auto mask = s.y.ReinterpretCast<uint8_t>();
  AscendC::DataCopy(s.x, s.self, 64);
  Order<HardEvent::MTE2_V>();
  AscendC::CompareScalar(mask, s.x, 0.0f, AscendC::CMPMODE::GE, 64);
  AscendC::DataCopy(s.x[64], s.self, 64);
  Order<HardEvent::MTE2_V>();
  AscendC::Duplicate(s.y[64], 1.0f, 64);
  ASSERT(mask.GetValue(0) == 255);
  FAULT_HERE;
  AscendC::DataCopy(s.x[first ? 0 : 64], s.self, 64);
}

void WaitWithoutSet(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void SetWithoutWait(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void EventIdOutOfRange(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::SetFlag<HardEvent::MTE2_V>(8);
}

void OverlappingBlocks(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  Order<HardEvent::V_MTE3>();
  // Each block writes 8 floats into the share of the next block.
  const uint64_t first = AscendC::GetBlockIdx() * uint64_t{kTile - 8};
  FAULT_HERE;
  AscendC::DataCopy(s.out[first], s.x, kTile);
}

// Each block writes a tile to the workspace and reads the tile of its neighbour.
template <bool meet>
void Exchange(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::Duplicate(s.x, static_cast<float>(AscendC::GetBlockIdx()), kTile);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(s.workspace[AscendC::GetBlockIdx() * kTile], s.x, kTile);
  if (meet) AscendC::SyncAll();
  const int64_t next = (AscendC::GetBlockIdx() + 1) % AscendC::GetBlockNum();
  FAULT_HERE;
  AscendC::DataCopy(s.y, s.workspace[next * kTile], kTile);
}

void NotAllMeet(const Arguments &) {
  if (AscendC::GetBlockIdx() == 1) return;
  FAULT_HERE;
  AscendC::SyncAll();
}

void OneDiesOthersMeet(const Arguments &) {
  if (AscendC::GetBlockIdx() == 1) {
    FAULT_HERE;
    ASSERT(false);
  }
  AscendC::SyncAll();
}

// The cube core of a mixed block tells its two vector cores to go on.
void CorrectCrossCore(const Arguments &arguments) {
  if ASCEND_IS_AIC {
    AscendC::CrossCoreSetFlag<2, PIPE_FIX>(3);
    return;
  }
  AscendC::CrossCoreWaitFlag(3);
  Setup s(arguments);
  AscendC::Duplicate(s.x, 1.0f, kTile);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(s.out[AscendC::GetBlockIdx() * kTile], s.x, kTile);
}

void FlagNeverComes(const Arguments &) {
  if ASCEND_IS_AIC
    return;
  FAULT_HERE;
  AscendC::CrossCoreWaitFlag(3);
}

void ManyBlocksMeet(const Arguments &arguments) {
  Setup s(arguments);
  for (int round = 0; round < 3; ++round) AscendC::SyncAll();
}

void MeetAlone(const Arguments &) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  FAULT_HERE;
  AscendC::SyncAll();
}

void CorrectTaskType(const Arguments &) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  AscendC::SyncAll();
}

template <bool vector_only>
void MoreBlocksMeet(const Arguments &) {
  FAULT_HERE;
  AscendC::SyncAll<vector_only>();
}

// There are more blocks than cores: some run later and cannot meet the others.
void SomeMeet(const Arguments &arguments) {
  constexpr int32_t cores = 48;
  if (AscendC::GetBlockIdx() >= cores) return;
  Setup s(arguments);
  AscendC::GlobalTensor<int32_t> flags;
  flags.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(arguments.workspace), cores * 8);
  AscendC::SyncAll(flags, s.x.ReinterpretCast<int32_t>(), cores);
}

}  // namespace

const std::vector<FaultCase> &OrderCases() {
  using K = sim::FaultKind;
  constexpr auto kMixed = sim::KernelType::kMixed12;
  static const std::vector<FaultCase> cases = {
      {"correct", K::kOther, Correct, {}, 4},
      {"strict_needs_barrier", K::kMissingSync, Correct, {"PipeBarrier<PIPE_V>"}, 1, true},
      {"correct_flags", K::kOther, CorrectFlags, {}, 1, true},
      {"correct_by_auto_sync", K::kOther, CorrectByAutoSync, {}},
      {"correct_copy_again", K::kOther, CopyAgain<true>, {}},
      {"copy_again",
       K::kMissingSync,
       CopyAgain<false>,
       {"DataCopy", "writes dst, UB bytes [256, 512)", "which DataCopy", "on MTE2 writes"}},
      {"correct_exchange", K::kOther, Exchange<true>, {}, 4},
      {"correct_cross_core", K::kOther, CorrectCrossCore, {}, 2, false, kMixed},
      {"correct_many_blocks", K::kOther, ManyBlocksMeet, {}, 48},
      {"correct_task_type", K::kOther, CorrectTaskType, {}, 4},
      {"meet_alone",
       K::kFlag,
       MeetAlone,
       {"SyncAll", "the device would hang here", "KERNEL_TYPE_MIX_AIV_1_0"},
       2},
      {"more_blocks_than_cores",
       K::kFlag,
       MoreBlocksMeet<true>,
       {"SyncAll", "49 blocks are to meet",
        "Ascend910B1 has 48 vector cores and runs 48 such blocks at a time", "the device would hang here",
        "the same in 48 more blocks"},
       49},
      {"more_mixed_blocks_than_cores",
       K::kFlag,
       MoreBlocksMeet<false>,
       {"SyncAll", "25 blocks are to meet", "24 cube cores and runs 24 such blocks at a time"},
       25,
       false,
       kMixed},
      {"correct_some_of_the_cores", K::kOther, SomeMeet, {}, 72},
      {"copy_then_compute",
       K::kMissingSync,
       CopyThenCompute,
       {"Muls", "reads src, UB bytes [0, 4096)", "DataCopy", "on MTE2 writes",
        "missing SetFlag/WaitFlag<HardEvent::MTE2_V> (or EnQue/DeQue"}},
      {"compute_then_copy",
       K::kMissingSync,
       ComputeThenCopy,
       {"DataCopy", "reads src", "Duplicate", "on V writes", "SetFlag/WaitFlag<HardEvent::V_MTE3>"}},
      {"reuse_after_copy_out",
       K::kMissingSync,
       ReuseAfterCopyOut,
       {"writes dst", "on MTE3 reads", "SetFlag/WaitFlag<HardEvent::MTE3_MTE2>"}},
      {"reuse_after_compute",
       K::kMissingSync,
       ReuseAfterCompute,
       {"writes dst", "Muls", "on V reads", "SetFlag/WaitFlag<HardEvent::V_MTE2>"}},
      {"overlapping_copies",
       K::kMissingSync,
       OverlappingCopies,
       {"DataCopy", "UB bytes [2048, 4096)", "PipeBarrier<PIPE_MTE2>"}},
      {"through_gm",
       K::kMissingSync,
       ThroughGm,
       {"on MTE2 reads GM bytes [0, 4096)", "on MTE3 writes", "HardEvent::MTE3_MTE2"}},
      {"back_to_gm",
       K::kMissingSync,
       BackToGm,
       {"on MTE3 writes GM bytes [0, 4096)", "on MTE2 reads", "HardEvent::MTE2_MTE3"}},
      {"vector_after_scalar",
       K::kMissingSync,
       VectorAfterScalar,
       {"Muls", "on V reads src, UB bytes [0, 32) of buffer, which SetValue (", " on S writes",
        "SetFlag/WaitFlag<HardEvent::S_V>"},
       1,
       true},
      {"vector_after_vector",
       K::kMissingSync,
       VectorAfterVector,
       {"Muls", "Duplicate", "PipeBarrier<PIPE_V>"},
       1,
       true},
      {"scalar_after_vector",
       K::kMissingSync,
       ScalarAfterVector,
       {"GetValue", "Duplicate", "SetFlag/WaitFlag<HardEvent::V_S>"},
       1,
       true},
      {"wait_without_set",
       K::kFlag,
       WaitWithoutSet,
       {"WaitFlag", "HardEvent::MTE2_V with eventID 3 was not set"}},
      {"set_without_wait",
       K::kFlag,
       SetWithoutWait,
       {"SetFlag", "MTE2_V is set, but nobody waits for it: missing WaitFlag"}},
      {"event_id", K::kFlag, EventIdOutOfRange, {"SetFlag", "eventID must be in [0, 7], got 8"}},
      {"overlapping_blocks",
       K::kBlockConflict,
       OverlappingBlocks,
       {"DataCopy", "writes GM bytes [", "which block ", "missing SyncAll"},
       2},
      {"missing_sync_all",
       K::kBlockConflict,
       Exchange<false>,
       {"DataCopy", "GM bytes [", "and nothing orders the two blocks: missing SyncAll"},
       2},
      {"not_all_meet", K::kFlag, NotAllMeet, {"SyncAll", "3 of 4 cores came"}, 4},
      {"one_dies_others_meet", K::kAssert, OneDiesOthersMeet, {"ASSERT", "block 1"}, 4},
      {"flag_never_comes",
       K::kFlag,
       FlagNeverComes,
       {"CrossCoreWaitFlag", "flag 3 never came"},
       1,
       false,
       kMixed},
  };
  return cases;
}
