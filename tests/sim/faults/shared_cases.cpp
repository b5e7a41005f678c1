// SPDX-License-Identifier: Apache-2.0
// What cores and pipes share: flags in global memory, turns of blocks, pools of buffers, the one TPipe of a
// core, and the device compiler's own flags.
#include "harness.h"
#include "twice_plus.h"

using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalMemAllocator;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TBufPool;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

namespace {

struct Setup {
  explicit Setup(const Arguments &arguments) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile * kTiles);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile * kTiles);
    shared.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.workspace) + kTile, kTile);
    flags.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(arguments.workspace), kTile);
    pipe.InitBuffer(buffer, 2 * kTile * sizeof(float));
    x = buffer.Get<float>(kTile);
    work = buffer.GetWithOffset<int32_t>(kTile, kTile * sizeof(float));
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> x;
  LocalTensor<int32_t> work;
  GlobalTensor<float> self, out, shared;
  GlobalTensor<int32_t> flags;
};

// Block 0 writes a tile that block 1 reads.
template <bool sets, bool waits>
void HandOver(const Arguments &arguments) {
  Setup s(arguments);
  if (AscendC::GetBlockIdx() == 0) {
    AscendC::Duplicate(s.x, 1.0f, kTile);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(s.shared, s.x, kTile);
    if (sets) AscendC::IBSet(s.flags, s.work, 0, 2);
    return;
  }
  FAULT_HERE;
  if (waits) AscendC::IBWait(s.flags, s.work, 0, 2);
  FAULT_HERE;
  if (sets) AscendC::DataCopy(s.x, s.shared, kTile);
}

void FlagOutsideOfWorkspace(const Arguments &arguments) {
  Setup s(arguments);
  s.flags.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(arguments.workspace), 8);
  FAULT_HERE;
  AscendC::IBSet(s.flags, s.work, 0, 2);
}

void FlagOfNoBlock(const Arguments &arguments) {
  Setup s(arguments);
  FAULT_HERE;
  AscendC::IBSet(s.flags, s.work, 4, 0);
}

// Each block adds to the same tile, twice.
template <bool waits>
void TakeTurns(const Arguments &arguments) {
  Setup s(arguments);
  AscendC::InitDetermineComputeWorkspace(s.flags, s.work);
  for (int round = 0; round < 2; ++round) {
    if (waits) AscendC::WaitPreBlock(s.flags, s.work);
    AscendC::Duplicate(s.x, static_cast<float>(AscendC::GetBlockIdx() + round), kTile);
    AscendC::PipeBarrier<PIPE_ALL>();
    FAULT_HERE;
    AscendC::DataCopy(s.shared, s.x, kTile);
    AscendC::PipeBarrier<PIPE_ALL>();
    if (waits) AscendC::NotifyNextBlock(s.flags, s.work);
  }
}

// The memory of one pool serves first a queue, then another pool's buffer.
void CorrectPools(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC, 2> first;
  TBufPool<TPosition::VECCALC> second;
  s.pipe.InitBufPool(first, 2 * kTile * sizeof(float));
  s.pipe.InitBufPool(second, kTile * sizeof(float), first);
  TQue<TPosition::VECIN, 2> queue;
  first.InitBuffer(queue, 2, kTile * sizeof(float));
  for (int tile = 0; tile < 3; ++tile) {
    auto x = queue.AllocTensor<float>();
    AscendC::DataCopy(x, s.self[tile * kTile], kTile);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    AscendC::Muls(s.x, x, 2.0f, kTile);
    queue.FreeTensor(x);
  }
  first.Reset();
  TBuf<TPosition::VECCALC> sums;
  second.InitBuffer(sums, kTile * sizeof(float));
  AscendC::Adds(sums.Get<float>(), s.x, 1.0f, kTile);
  second.Reset();
}

void PoolWithoutRoom(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC> pool;
  s.pipe.InitBufPool(pool, 1024);
  TBuf<TPosition::VECCALC> fits, other;
  pool.InitBuffer(fits, 768);
  FAULT_HERE;
  pool.InitBuffer(other, 512);
}

void PoolOfTwoBuffers(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC, 2> pool;
  s.pipe.InitBufPool(pool, 1024);
  TQue<TPosition::VECIN, 2> queue;
  TBuf<TPosition::VECCALC> other;
  pool.InitBuffer(queue, 2, 32);
  FAULT_HERE;
  pool.InitBuffer(other, 32);
}

void UseAfterPool(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC> pool;
  s.pipe.InitBufPool(pool, 1024);
  TBuf<TPosition::VECCALC> buffer;
  pool.InitBuffer(buffer, 256);
  auto x = buffer.Get<float>();
  pool.Reset();
  FAULT_HERE;
  AscendC::Duplicate(x, 1.0f, 64);
}

void PoolKeepsTensor(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC> pool;
  s.pipe.InitBufPool(pool, 1024);
  TQue<TPosition::VECIN, 1> queue;
  pool.InitBuffer(queue, 1, 256);
  FAULT_HERE;
  queue.AllocTensor<float>();
  pool.Reset();
}

void PoolWithoutMemory(const Arguments &arguments) {
  Setup s(arguments);
  TBufPool<TPosition::VECCALC> pool;
  TBuf<TPosition::VECCALC> buffer;
  FAULT_HERE;
  pool.InitBuffer(buffer, 32);
}

void FillByCopy(TPipe pipe) {
  TBuf<TPosition::VECCALC> more;
  pipe.InitBuffer(more, kTile * sizeof(float));
  AscendC::Duplicate(more.Get<float>(), 1.0f, kTile);
}

// A TPipe by value, and the one that GetTPipePtr finds.
void CorrectCopyOfPipe(const Arguments &arguments) {
  Setup s(arguments);
  FillByCopy(s.pipe);
  TBuf<TPosition::VECCALC> last;
  AscendC::GetTPipePtr()->InitBuffer(last, 256);
  ASSERT(AscendC::GetTPipePtr() == &s.pipe);
  AscendC::Duplicate(last.Get<float>(), 1.0f, 64);
}

void NoPipe(const Arguments &) {
  FAULT_HERE;
  AscendC::GetTPipePtr();
}

// Tensors without a TPipe, ordered by the device compiler's own flags.
template <bool ordered>
void BareFlags(const Arguments &arguments) {
  GlobalTensor<float> self, out;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.out), kTile);
  LocalMemAllocator<AscendC::Hardware::UB> memory;
  auto x = memory.Alloc<TPosition::VECIN, float, kTile>();
  auto y = memory.Alloc<float>(kTile);
  ASSERT(memory.GetCurAddr() == 2 * kTile * sizeof(float));
  AscendC::DataCopy(x, self, kTile);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  y = x + x;
  pipe_barrier(PIPE_V);
  if (ordered) {
    set_flag(PIPE_V, PIPE_MTE3, static_cast<event_t>(1));
    wait_flag(PIPE_V, PIPE_MTE3, static_cast<event_t>(1));
  }
  FAULT_HERE;
  AscendC::DataCopy(out, y, kTile);
}

void AllocatorWithoutRoom(const Arguments &) {
  LocalMemAllocator<AscendC::Hardware::L1> memory;
  memory.Alloc<half>(256 * 1024);
  FAULT_HERE;
  memory.Alloc<TPosition::A1, half, 16>();
}

}  // namespace

const std::vector<FaultCase> &SharedCases() {
  using K = sim::FaultKind;
  static const std::vector<FaultCase> cases = {
      {"correct_ib_flags", K::kOther, HandOver<true, true>, {}, 2},
      {"ib_flag_not_awaited", K::kBlockConflict, HandOver<true, false>, {"DataCopy", "nothing orders"}, 2},
      {"ib_flag_never_set", K::kFlag, HandOver<false, true>, {"IBWait", "never came"}, 2},
      {"ib_flag_outside_of_workspace", K::kGmBounds, FlagOutsideOfWorkspace, {"IBSet", "GlobalTensor"}},
      {"ib_flag_of_no_block", K::kFlag, FlagOfNoBlock, {"IBSet", "blockIdx must be in [0, 1], got 4"}, 2},
      {"correct_turns_of_blocks", K::kOther, TakeTurns<true>, {}, 4},
      {"blocks_without_turns", K::kBlockConflict, TakeTurns<false>, {"DataCopy", "nothing orders"}, 4},
      {"correct_pools", K::kOther, CorrectPools, {}},
      {"pool_without_room",
       K::kUbCapacity,
       PoolWithoutRoom,
       {"InitBuffer", "other of 512 bytes does not fit in the TBufPool", "768 of 1024 bytes are taken"}},
      {"pool_of_two_buffers", K::kUbCapacity, PoolOfTwoBuffers, {"may have 2 buffers", "bufIDSize"}},
      {"use_after_pool", K::kUseAfterFree, UseAfterPool, {"Duplicate"}},
      {"pool_keeps_tensor",
       K::kQueueBalance,
       PoolKeepsTensor,
       {"TBufPool::Reset ends with a buffer of queue", "allocated and not enqueued"}},
      {"pool_without_memory", K::kUbCapacity, PoolWithoutMemory, {"missing TPipe::InitBufPool"}},
      {"correct_copy_of_pipe", K::kOther, CorrectCopyOfPipe, {}},
      {"no_pipe", K::kOther, NoPipe, {"GetTPipePtr", "no TPipe exists on this core"}},
      {"correct_bare_flags", K::kOther, BareFlags<true>, {}},
      {"bare_flag_missing",
       K::kMissingSync,
       BareFlags<false>,
       {"DataCopy", "Add", "SetFlag/WaitFlag<HardEvent::V_MTE3>"}},
      {"allocator_without_room",
       K::kUbCapacity,
       AllocatorWithoutRoom,
       {"LocalMemAllocator::Alloc", "32 bytes does not fit in L1", "524288 of 524288 bytes are taken"}},
  };
  return cases;
}
