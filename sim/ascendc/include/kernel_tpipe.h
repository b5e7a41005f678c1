// SPDX-License-Identifier: Apache-2.0
// TPipe, TQue and TBuf: they hand out on-chip memory and order the pipes that use it.
#pragma once

#include <exception>

#include "../engine/queues.h"
#include "kernel_buf_pool.h"
#include "kernel_event.h"
#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_dump_tensor_intf.h"
#include "kernel_operator_set_atomic_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_spm_buffer.h"
#include "kernel_tensor.h"
#include "sim/tiling.h"

namespace sim {

// Returns where the buffers of a queue lie: at its source, unless that is in GM or the destination is in L1.
constexpr AscendC::TPosition BufferPosition(AscendC::TPosition src, AscendC::TPosition dst) {
  using P = AscendC::TPosition;
  if (src == P::GM || dst == P::TSCM || src == P::A1 || src == P::B1 || src == P::C1) return dst;
  return src;
}

// Returns the pipe that fills the buffers of a queue and the one that empties them, by the memories at its
// ends.
constexpr PipePair QueuePipes(AscendC::TPosition src, AscendC::TPosition dst) {
  const Space from = SpaceOf(src);
  const Space to = SpaceOf(dst);
  if (from == Space::GM)
    return {Pipe::MTE2, to == Space::UB ? Pipe::V : to == Space::L1 ? Pipe::MTE1 : Pipe::M};
  if (from == Space::UB && to == Space::GM) return {Pipe::V, Pipe::MTE3};
  if (from == Space::UB && to == Space::UB) return {Pipe::MTE2, Pipe::MTE3};
  if (from == Space::UB) return {Pipe::MTE3, Pipe::MTE1};
  if (from == Space::L1)
    return {Pipe::MTE1, to == Space::UB ? Pipe::V : to == Space::FB ? Pipe::FIX : Pipe::M};
  return {Pipe::M, Pipe::FIX};
}

// The same for a queue that is declared between these positions: TQue<VECCALC> has no flag, as the vector
// unit alone uses it.
constexpr PipePair DeclaredPipes(AscendC::TPosition src, AscendC::TPosition dst) {
  if (SpaceOf(src) == Space::GM && dst == AscendC::TPosition::VECCALC) return {Pipe::V, Pipe::V};
  return QueuePipes(src, dst);
}

}  // namespace sim

namespace AscendC {

class TPipe;
template <TPosition pos, uint32_t bufIDSize>
class TBufPool;

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  template <typename T>
  LocalTensor<T> AllocTensor(sim::Where where = sim::Where::Here()) {
    return LocalTensor<T>(sim::Core::Current().queues().Alloc(queue_, where));
  }
  template <typename T>
  void AllocTensor(LocalTensor<T> &tensor, sim::Where where = sim::Where::Here()) {
    tensor = AllocTensor<T>(where);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T> &tensor, sim::Where where = sim::Where::Here()) {
    sim::Core::Current().queues().Free(queue_, tensor, where);
  }
  template <typename T>
  bool EnQue(const LocalTensor<T> &tensor, sim::Where where = sim::Where::Here()) {
    sim::Queues &queues = sim::Core::Current().queues();
    queues.EnQue(queue_, tensor, queues.PipesOf(queue_, "EnQue", where), where);
    return true;
  }
  // The positions say which pipe fills the tensor and which one reads it, where these are not the queue's.
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  bool EnQue(const LocalTensor<T> &tensor, sim::Where where = sim::Where::Here()) {
    constexpr sim::PipePair pipes = sim::QueuePipes(srcUserPos, dstUserPos);
    sim::Core::Current().queues().EnQue(queue_, tensor, {pipes.from, pipes.to}, where);
    return true;
  }
  // Kernels that need no tensor name no type.
  template <typename T = uint8_t>
  LocalTensor<T> DeQue(sim::Where where = sim::Where::Here()) {
    sim::Queues &queues = sim::Core::Current().queues();
    return LocalTensor<T>(queues.DeQue(queue_, queues.PipesOf(queue_, "DeQue", where), where));
  }
  template <typename T>
  void DeQue(LocalTensor<T> &tensor, sim::Where where = sim::Where::Here()) {
    tensor = DeQue<T>(where);
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  LocalTensor<T> DeQue(sim::Where where = sim::Where::Here()) {
    constexpr sim::PipePair pipes = sim::QueuePipes(srcUserPos, dstUserPos);
    return LocalTensor<T>(sim::Core::Current().queues().DeQue(queue_, {pipes.from, pipes.to}, where));
  }

  bool VacantInQue(sim::Where where = sim::Where::Here()) {
    return sim::Core::Current().queues().Vacant(queue_, where);
  }
  bool HasTensorInQue(sim::Where where = sim::Where::Here()) { return GetTensorCountInQue(where) != 0; }
  int32_t GetTensorCountInQue(sim::Where where = sim::Where::Here()) {
    return sim::Core::Current().queues().Count(queue_, where);
  }
  // Waits for the flags that FreeTensor has set, so that the queue holds no event id.
  void FreeAllEvent(sim::Where where = sim::Where::Here()) {
    sim::Core::Current().queues().FreeEvents(queue_, where);
  }
  bool HasIdleBuffer(sim::Where where = sim::Where::Here()) {
    return sim::Core::Current().queues().HasIdle(queue_, where);
  }

  // A pool of the kernel's own (kernel_buf_pool.h) starts a queue without buffers and places them.
  void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {
    constexpr sim::PipePair pipes = sim::DeclaredPipes(src, dst);
    queue_ = sim::Core::Current().queues().StartQueue(
        {sim::BufferPosition(src, dst), pipes.from, pipes.to, depth});
  }
  template <typename Pool>
  void InitBufHandle(Pool *bufPool, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len,
                     sim::Where where = sim::Where::Here()) {
    sim::Core::Current().queues().PlaceBuffer(queue_, sim::BufferPosition(src, dst), bufPool->simPool.id,
                                              curPoolAddr, len, where);
  }

 private:
  friend class TPipe;
  template <TPosition pos, uint32_t bufIDSize>
  friend class TBufPool;

  int32_t queue_ = -1;
};

// Returns the source or the destination of a queue by its position: VECIN is filled from GM, VECOUT is
// emptied to GM.
constexpr TPosition GetBufferLogicPos(TPosition pos, bool isSrc) {
  switch (pos) {
    case TPosition::A2:
      return isSrc ? TPosition::A1 : pos;
    case TPosition::B2:
      return isSrc ? TPosition::B1 : pos;
    case TPosition::C2:
      return isSrc ? TPosition::C1 : pos;
    case TPosition::C2PIPE2GM:
      return isSrc ? TPosition::B1 : pos;
    case TPosition::CO1:
      return isSrc ? pos : TPosition::CO2;
    case TPosition::CO2:
    case TPosition::VECOUT:
      return isSrc ? pos : TPosition::GM;
    default:
      return isSrc ? TPosition::GM : pos;
  }
}

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<GetBufferLogicPos(pos, true), GetBufferLogicPos(pos, false), depth, mask> {};

template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

// Memory without a queue: the kernel itself must order the pipes that use it.
template <TPosition pos = TPosition::LCM>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get(sim::Where where = sim::Where::Here()) {
    return LocalTensor<T>(sim::Core::Current().queues().BufferOf(buffer_, where));
  }
  template <typename T>
  LocalTensor<T> Get(uint32_t len, sim::Where where = sim::Where::Here()) {
    return GetWithOffset<T>(len, 0, where);
  }
  // Returns `size` elements from byte `bufOffset` on.
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, sim::Where where = sim::Where::Here()) {
    LocalTensor<T> tensor = Get<T>(where);
    const uint64_t end = bufOffset + uint64_t{size} * sizeof(T);
    if (end > tensor.bytes) {
      sim::Core &core = sim::Core::Current();
      core.Fail(sim::FaultKind::kUbBounds, "TBuf::Get", where,
                "bytes [" + std::to_string(bufOffset) + ", " + std::to_string(end) + ")" +
                    core.OfBuffer(tensor.space, tensor.address) + " are outside of the buffer, which has " +
                    std::to_string(tensor.bytes) + " bytes");
    }
    tensor.address += bufOffset;
    tensor.bytes = end - bufOffset;
    return tensor;
  }
  // The functions of a queue, for code that takes either. They order nothing.
  template <typename T>
  LocalTensor<T> AllocTensor(sim::Where where = sim::Where::Here()) {
    return Get<T>(where);
  }
  template <typename T>
  LocalTensor<T> DeQue(sim::Where where = sim::Where::Here()) {
    return Get<T>(where);
  }
  template <typename T>
  void EnQue(const LocalTensor<T> &) {}
  template <typename T>
  void FreeTensor(LocalTensor<T> &) {}

  void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
  template <typename Pool>
  void InitBufHandle(Pool *bufPool, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len,
                     sim::Where where = sim::Where::Here()) {
    buffer_ =
        sim::Core::Current().queues().PlaceBuffer(-1, pos, bufPool->simPool.id, curPoolAddr, len, where);
  }

 private:
  friend class TPipe;
  template <TPosition bufPos, uint32_t bufIDSize>
  friend class TBufPool;

  int32_t buffer_ = -1;
};

// The TPipe of this core, which GetTPipePtr returns.
inline thread_local TPipe *g_tPipePtr = nullptr;

class TPipe : public sim::SpmBuffer {
 public:
  explicit TPipe(sim::Where where = sim::Where::Here()) : where_(where) { Init(); }
  ~TPipe() noexcept(false) {
    if (g_tPipePtr == this) g_tPipePtr = nullptr;
    if (!ended_ && std::uncaught_exceptions() == 0) Destroy();
  }
  // A copy, as where a kernel takes its TPipe by value, hands out what is left of the same memory. The end of
  // the copy frees nothing.
  TPipe(const TPipe &other) : where_(other.where_), ended_(true) {}
  TPipe &operator=(const TPipe &) { return *this; }

  void Init() {
    sim::Core::Current().queues().BeginPipe(where_);
    ended_ = false;
    g_tPipePtr = this;
  }

  template <class T>
  bool InitBuffer(T &que, uint8_t num, uint32_t len, sim::Where where = sim::Where::Here()) {
    que.queue_ = InitQueue(que, num, len, where);
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos> &buf, uint32_t len, sim::Where where = sim::Where::Here()) {
    buf.buffer_ = sim::Core::Current().queues().InitBuffer(pos, len, where);
    return true;
  }

  template <HardEvent evt>
  TEventID AllocEventID(sim::Where where = sim::Where::Here()) {
    constexpr sim::PipePair pipes = sim::PipesOf(evt);
    return static_cast<TEventID>(sim::Core::Current().AllocEventId(pipes.from, pipes.to, where));
  }
  template <HardEvent evt>
  void ReleaseEventID(TEventID id, sim::Where where = sim::Where::Here()) {
    constexpr sim::PipePair pipes = sim::PipesOf(evt);
    sim::Core::Current().ReleaseEventId(pipes.from, pipes.to, id, where);
  }
  TEventID FetchEventID(HardEvent evt, sim::Where where = sim::Where::Here()) {
    const sim::PipePair pipes = sim::PipesOf(evt);
    return static_cast<TEventID>(sim::Core::Current().FetchEventId(pipes.from, pipes.to, where));
  }
  template <HardEvent evt>
  TEventID FetchEventID(sim::Where where = sim::Where::Here()) {
    return FetchEventID(evt, where);
  }

  // Gives a pool `len` bytes, which it hands out itself.
  template <TPosition bufPos, uint32_t bufIDSize>
  bool InitBufPool(TBufPool<bufPos, bufIDSize> &bufPool, uint32_t len,
                   sim::Where where = sim::Where::Here()) {
    bufPool.pool_ = sim::Core::Current().queues().InitPool(bufPos, len, where);
    return true;
  }
  // Gives it the memory of another pool. Only one of the two may be in use at a time.
  template <TPosition bufPos, uint32_t bufIDSize, TPosition shared, uint32_t sharedIDSize>
  bool InitBufPool(TBufPool<bufPos, bufIDSize> &bufPool, uint32_t len,
                   TBufPool<shared, sharedIDSize> &shareBuf, sim::Where where = sim::Where::Here()) {
    bufPool.pool_ = sim::Core::Current().queues().InitSharedPool(shareBuf.pool_, len, where);
    return true;
  }

  // A pool that the kernel has written itself.
  template <class Pool>
  bool InitBufPool(Pool &bufPool, uint32_t len, sim::Where where = sim::Where::Here()) {
    bufPool.simPool.Begin(sim::Core::Current().queues().InitPool(Pool::poolPos, len, where), where);
    return true;
  }
  template <class Pool, class Shared>
  bool InitBufPool(Pool &bufPool, uint32_t len, Shared &shareBuf, sim::Where where = sim::Where::Here()) {
    bufPool.simPool.Begin(sim::Core::Current().queues().InitSharedPool(shareBuf.simPool.id, len, where),
                          where);
    return true;
  }

  // The address of the first byte of a position's memory.
  uint64_t GetBaseAddr(int8_t) { return 0; }

  // Frees all memory. As on the device, it waits for what FreeTensor has set flags for, and for nothing else:
  // pipes may still use a TBuf, so that a kernel which takes the memory for something else needs a
  // PipeBarrier before.
  void Reset(sim::Where where = sim::Where::Here()) {
    sim::Core::Current().queues().Release(where);
    SetAtomicNone();
  }
  void Destroy() {
    DestroyWithoutPipeAll();
    sim::Core::Current().BarrierAll(where_);
  }
  // Destroy without the barrier of all pipes.
  void DestroyWithoutPipeAll() {
    ended_ = true;
    sim::Core::Current().queues().EndPipe(where_);
  }

 private:
  template <TPosition pos, uint32_t bufIDSize>
  friend class TBufPool;

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  static int32_t InitQueue(const TQueBind<src, dst, depth, mask> &, uint8_t num, uint32_t len,
                           sim::Where where) {
    constexpr sim::PipePair pipes = sim::DeclaredPipes(src, dst);
    constexpr TPosition position = sim::BufferPosition(src, dst);
    return sim::Core::Current().queues().InitQueue({position, pipes.from, pipes.to, depth}, num, len, where);
  }

  sim::Where where_;
  bool ended_ = false;
};

__aicore__ inline TPipe *GetTPipePtr(sim::Where where = sim::Where::Here()) {
  if (g_tPipePtr == nullptr) {
    sim::Core::Current().Fail(sim::FaultKind::kOther, "GetTPipePtr", where,
                              "no TPipe exists on this core: make one before");
  }
  return g_tPipePtr;
}

// Memory that a TPipe gives in one piece, and that the kernel hands out to queues and buffers itself. Reset
// takes it back from them. `bufIDSize` is how many buffers the pool may have.
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
 public:
  static constexpr TPosition poolPos = pos;

  template <class T>
  bool InitBuffer(T &que, uint8_t num, uint32_t len, sim::Where where = sim::Where::Here()) {
    const sim::Queues::InPool scope(sim::Core::Current().queues(), pool_, num, bufIDSize, where);
    que.queue_ = TPipe::InitQueue(que, num, len, where);
    return true;
  }
  template <TPosition bufPos>
  bool InitBuffer(TBuf<bufPos> &buf, uint32_t len, sim::Where where = sim::Where::Here()) {
    const sim::Queues::InPool scope(sim::Core::Current().queues(), pool_, 1, bufIDSize, where);
    buf.buffer_ = sim::Core::Current().queues().InitBuffer(bufPos, len, where);
    return true;
  }
  // Gives another pool a part of this one.
  template <TPosition bufPos, uint32_t idSize>
  bool InitBufPool(TBufPool<bufPos, idSize> &bufPool, uint32_t len, sim::Where where = sim::Where::Here()) {
    const sim::Queues::InPool scope(sim::Core::Current().queues(), pool_, 0, bufIDSize, where);
    bufPool.pool_ = sim::Core::Current().queues().InitPool(bufPos, len, where);
    return true;
  }
  template <TPosition bufPos, uint32_t idSize, TPosition shared, uint32_t sharedIDSize>
  bool InitBufPool(TBufPool<bufPos, idSize> &bufPool, uint32_t len, TBufPool<shared, sharedIDSize> &shareBuf,
                   sim::Where where = sim::Where::Here()) {
    bufPool.pool_ = sim::Core::Current().queues().InitSharedPool(shareBuf.pool_, len, where);
    return true;
  }
  void Reset(sim::Where where = sim::Where::Here()) {
    sim::Core::Current().queues().ReleasePool(pool_, where);
  }

 private:
  friend class TPipe;
  template <TPosition bufPos, uint32_t idSize>
  friend class TBufPool;

  int32_t pool_ = -1;
};

// Returns what is left of a memory, for use until the next InitBuffer or PopStackBuffer. False where nothing
// is left.
template <typename T, TPosition pos>
inline bool PopStackBuffer(LocalTensor<T> &popBuffer, sim::Where where = sim::Where::Here()) {
  popBuffer = LocalTensor<T>(sim::Core::Current().queues().Rest(pos, where));
  return popBuffer.bytes != 0;
}

}  // namespace AscendC

using AscendC::GetTPipePtr;
