// SPDX-License-Identifier: Apache-2.0
// What a TPipe hands out: buffers in on-chip memory, and queues that pass them from pipe to pipe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "../include/sim/local_tensor_base.h"
#include "core.h"
#include "events.h"

namespace sim {

class CoreState;

// Where a buffer of a queue is in its round: AllocTensor, EnQue, DeQue and FreeTensor lead to the next state.
enum class BufferState : uint8_t { kIdle, kAllocated, kQueued, kTaken };

// The two pipes of a queue: EnQue sets a flag from the producer to the consumer, FreeTensor one back. They
// take its id from the eight of their pipes (event_flags.h).
struct QueueKind {
  AscendC::TPosition position;
  Pipe producer;
  Pipe consumer;
  int32_t depth;
};

class Queues {
 public:
  explicit Queues(CoreState *core) : core_(core) {}
  void Reset();

  // Adds a queue of `number` buffers with `bytes` each and returns its id. Fails where the memory has too
  // little room.
  int32_t InitQueue(const QueueKind &kind, uint32_t number, uint32_t bytes, Where where);
  int32_t InitBuffer(AscendC::TPosition position, uint32_t bytes, Where where);  // of a TBuf: the buffer's id
  LocalTensorBase BufferOf(int32_t buffer, Where where);  // TBuf::Get: fails where InitBuffer never saw it
  // TPipe::Init: all event ids are free. On a cube core TPipe takes M_MTE1 0 to 2 and sets their flags, which
  // CANN's Matmul waits for.
  void BeginPipe(Where where);
  // TPipe::Destroy: as Release; on a cube core it also waits for the flags of BeginPipe.
  void EndPipe(Where where);
  // TPipe::Reset: waits for the flags of FreeTensor. Then all memory and all event ids are free; buffers left
  // in use are a fault.
  void Release(Where where);
  // PopStackBuffer: what no buffer takes of a memory. It is valid until the next InitBuffer or PopStackBuffer
  // takes some of it.
  LocalTensorBase Rest(AscendC::TPosition position, Where where);
  uint64_t Allocated(Space space) const { return top_[static_cast<int>(space)]; }
  uint64_t Peak(Space space) const { return peak_[static_cast<int>(space)]; }

  // TBufPool: memory of which InitQueue and InitBuffer take their buffers, while an InPool for it lives. The
  // second form gives a pool the memory of another one.
  int32_t InitPool(AscendC::TPosition position, uint32_t bytes, Where where);
  int32_t InitSharedPool(int32_t shared, uint32_t bytes, Where where);
  // TBufPool::Reset: waits for the flags of FreeTensor and takes back the memory of the pool's buffers.
  void ReleasePool(int32_t pool, Where where);
  class InPool {
   public:
    // `buffers` more may be had from the pool, of `most` in all; otherwise it is a fault.
    InPool(Queues &queues, int32_t pool, uint32_t buffers, uint32_t most, Where where);
    ~InPool() { queues_.pool_ = outer_; }

   private:
    Queues &queues_;
    int32_t outer_;
  };
  // A pool that the kernel has written itself (EXTERN_IMPL_BUFPOOL) places the buffers at addresses of its
  // choice; several may lie on the same bytes. PlaceBuffer adds one to a queue, or makes a TBuf (queue -1),
  // and returns its id.
  uint64_t AddressOf(int32_t pool, Where where) { return CheckedPool(pool, "InitBufPool", where).address; }
  int32_t StartQueue(const QueueKind &kind);
  int32_t PlaceBuffer(int32_t queue, AscendC::TPosition position, int32_t pool, uint64_t address,
                      uint32_t bytes, Where where);
  // TQue::FreeAllEvent: waits for the flags that FreeTensor has set.
  void FreeEvents(int32_t queue, Where where);

  LocalTensorBase Alloc(int32_t queue, Where where);
  // The pipes are those of the queue, or those between the positions that the kernel gives EnQue and DeQue.
  struct Pipes {
    Pipe from;
    Pipe to;
  };
  Pipes PipesOf(int32_t queue, const char *instruction, Where where);
  void EnQue(int32_t queue, const LocalTensorBase &tensor, Pipes pipes, Where where);
  LocalTensorBase DeQue(int32_t queue, Pipes pipes, Where where);
  void Free(int32_t queue, const LocalTensorBase &tensor, Where where);
  bool Vacant(int32_t queue, Where where);    // VacantInQue: another EnQue fits
  int32_t Count(int32_t queue, Where where);  // GetTensorCountInQue
  bool HasIdle(int32_t queue, Where where);

  // Judges an operand: says what is wrong with the buffer it lies in, "" where nothing is.
  std::string Stale(const Operand &operand) const;
  // Reports a buffer that is not idle, of a pool or of all (-1), where there is one: `who` ends too early.
  void ReportLeftover(const std::string &who, int32_t pool = -1);
  // " of in_queue_" where the buffer that holds this byte has a name in the source, else "".
  std::string OfBuffer(Space space, uint64_t address) const;
  bool StaysInBuffer(const Operand &operand, uint64_t bytes) const;

 private:
  struct Buffer {
    Space space = Space::UB;
    AscendC::TPosition position = AscendC::TPosition::VECCALC;
    uint64_t address = 0;
    uint64_t bytes = 0;
    int32_t queue = -1;  // -1: a TBuf
    int32_t pool = -1;   // -1: of the TPipe itself
    BufferState state = BufferState::kIdle;
    uint32_t generation = 0;
    int32_t filled = kNoEvent;   // event id of EnQue
    int32_t emptied = kNoEvent;  // event id of FreeTensor
    Site made;                   // InitBuffer
    Site given;                  // the last AllocTensor
  };
  struct Queue {
    QueueKind kind;
    std::vector<int32_t> buffers;
    std::deque<int32_t> queued;
  };

  static constexpr int32_t kNoEvent = -1;
  // The use of what no buffer takes: each PopStackBuffer starts a new one.
  struct Stack {
    uint32_t generation = 0;
    Site last;  // the last PopStackBuffer
  };

  struct Pool {
    Space space = Space::UB;
    AscendC::TPosition position = AscendC::TPosition::VECCALC;
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t taken = 0;
    uint32_t buffers = 0;
  };

  Pool &CheckedPool(int32_t pool, const char *instruction, Where where);
  uint64_t Take(Space space, uint64_t bytes, const Site &made, Where where);  // its address
  void WaitForEmpty(Buffer *buffer, Where where);
  std::string StaleRest(const Operand &operand) const;
  LocalTensorBase TensorOf(int32_t buffer) const;
  Buffer NewBuffer(AscendC::TPosition position, int32_t queue, uint32_t bytes, const char *instruction,
                   Where where) const;
  int32_t AddBuffer(AscendC::TPosition position, int32_t queue, uint32_t bytes, Where where);
  std::string Taken(Space space) const;         // " by in_queue_ (65536 bytes), values_ (8192 bytes)", or ""
  std::string Named(const Queue &queue) const;  // "the queue in_queue_", or "the queue"
  Queue &Checked(int32_t queue, const char *instruction, Where where);
  Buffer &Owned(int32_t queue, const LocalTensorBase &tensor, const char *instruction, Where where);

  CoreState *core_;
  std::vector<Buffer> buffers_;
  std::vector<Queue> queues_;
  std::vector<Pool> pools_;
  int32_t pool_ = -1;  // of an InPool
  uint64_t top_[kSpaces] = {};
  uint64_t peak_[kSpaces] = {};
  Stack stacks_[kSpaces];
};

const char *PositionName(AscendC::TPosition position);

}  // namespace sim
