// SPDX-License-Identifier: Apache-2.0
// The simulated AI core as a block sees it. Every AscendC call goes through this class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "instruction.h"
#include "registers.h"

namespace sim {

class Queues;     // buffers of TPipe (queues.h)
class CoreState;  // pipes, clocks, shadow memory, counters and trace of one block (core.cpp)

// What a fault is about. Its name is the first word of the report, and tests look for it.
enum class FaultKind : uint8_t {
  kAlignment,      // operand address or copy length off its 32 B grid
  kRepeat,         // repeatTimes above 255
  kMask,           // mask outside 1..lanes, or all zero
  kStride,         // stride field beyond its width
  kOverlap,        // results of a vector instruction lie on its sources where they may not
  kUbBounds,       // operand leaves its LocalTensor or its buffer
  kGmBounds,       // access leaves its allocation
  kUbCapacity,     // InitBuffer beyond the Unified Buffer
  kQueueBalance,   // EnQue/DeQue/AllocTensor/FreeTensor out of step, or buffers left at the end
  kUninitialised,  // bytes read that nothing wrote, in UB or GM
  kUseAfterFree,   // access to a queue tensor after FreeTensor
  kMissingSync,    // two pipes of one block touch the same bytes without an order
  kBlockConflict,  // two blocks touch the same GM bytes, one writing, without an order
  kRoundMode,      // Cast with a RoundMode the pair of types does not have
  kCount_,         // Compare / reduction count not in whole repeats, count <= 0, …
  kType,           // instruction not available for the type on this device
  kFlag,           // WaitFlag without SetFlag, event id out of range, SyncAll not met by all blocks
  kCoherence,      // the scalar unit's data cache and GM differ: DataCacheCleanAndInvalid is missing
  kAssert,         // ASSERT of the kernel itself
  kEndless,        // the kernel does not end
  // Warnings (policy.h).
  kBeyondTensor,   // access leaves the size of its tensor, which the device does not know
  kRoundedCopy,    // a copy of a count that is no multiple of 32 bytes: the rest is not copied
  kPartlyWritten,  // the scalar unit reads a word that has values in some of its bits alone
  kUnusedRace,     // nothing orders a read, but the kernel does not use the bytes
  kWrongQueue,     // FreeTensor of another queue, between the same pipes
  kOther,
};
const char *FaultName(FaultKind kind);

class Core {
 public:
  // Returns the core whose block runs on this thread. A call outside a kernel stops the process with a
  // message.
  static Core &Current();

  // Judges, counts and records one instruction. Call it before computing the result. After a fault of bounds
  // or alignment no result means anything: it throws BlockEnded, unless the policy says that the block goes
  // on. After other faults the block goes on.
  void Issue(const Instruction &instruction);

  // Returns the host pointer to an address: an offset in an on-chip memory, or a device address of GM. Issue
  // has judged the bounds before. Where the block goes on behind a fault of bounds, the operand lies nowhere
  // until the next instruction: what is read there is poison, and what is written there is lost.
  std::byte *Memory(Space space, uint64_t address);

  // The scalar unit reads registers that hold results of vector instructions, `bytes` from flow.h's address
  // `registers` on: a fault where these come from bytes that nobody wrote.
  void ReadRegisters(const char *instruction, Where where, uint64_t registers, uint64_t bytes);
  // The scalar unit has stored them in on-chip memory: there they are what they were.
  void StoreRegisters(Space space, uint64_t address, uint64_t registers, uint64_t bytes);

  // " of in_queue_" where the buffer that holds this byte has a name in the source, else "": for faults.
  std::string OfBuffer(Space space, uint64_t address);
  // Says whether that many bytes from the operand's address on lie in the buffer of its tensor; a tensor that
  // lies in no buffer leaves none.
  bool StaysInBuffer(const Operand &operand, uint64_t bytes);
  // Says which allocation of GM holds all these bytes: the one that holds `start`, another one, or none.
  enum class Holder : uint8_t { kSame, kOther, kNone };
  Holder HolderOf(uint64_t address, uint64_t bytes, uint64_t start);
  bool InGlobalMemory(uint64_t address) const;  // in an allocation or not
  // Says whether Report has nothing more to do for this call, so that nobody needs the text.
  bool Reported(FaultKind kind, const char *instruction, Where where);
  // Notes a fault at `where`, behind which the instruction can still be carried out; the text says what was
  // expected and what came. Ends the block where the policy says so.
  void Report(FaultKind kind, const char *instruction, Where where, const std::string &text);
  // The same of a fault behind which nothing can be carried out: ends the block.
  [[noreturn]] void Fail(FaultKind kind, const char *instruction, Where where, const std::string &text);

  // Prints text of the kernel, a whole line at a time, with the core in front of each.
  void Print(const std::string &text);

  // Flags order pipes. `id` is an event id as FetchEventID and AllocEventID hand it out: 0 to 7 for each pair
  // of pipes (event_flags.h).
  void SetFlag(Pipe from, Pipe to, int32_t id, Where where);
  void WaitFlag(Pipe from, Pipe to, int32_t id, Where where);
  int32_t FetchEventId(Pipe from, Pipe to, Where where);  // a free id, not taken
  int32_t AllocEventId(Pipe from, Pipe to, Where where);  // taken until ReleaseEventId
  void ReleaseEventId(Pipe from, Pipe to, int32_t id, Where where);
  void Barrier(Pipe pipe, Where where);  // PipeBarrier<PIPE_x>
  void BarrierAll(Where where);          // PipeBarrier<PIPE_ALL>
  // DataCacheCleanAndInvalid of all lines of the scalar unit's data cache, or of the one that holds an
  // address in GM: writes it back and forgets it.
  void CleanDataCache(const char *instruction, bool all, uint64_t address, Where where);
  // Fails where the kernel has a type whose cores run without the scheduler that lets them meet.
  void CheckMayMeet(const char *instruction, Where where);
  void SyncAllBlocks(bool vector_only, Where where, uint32_t cores = 0);   // SyncAll; cores 0: all
  void CrossCoreSet(uint8_t mode, Pipe pipe, uint16_t flag, Where where);  // CrossCoreSetFlag
  void CrossCoreWait(uint16_t flag, Where where);  // CrossCoreWaitFlag: holds back the whole core

  uint32_t BlockIdx() const;
  uint32_t BlockNum() const;
  uint32_t SubBlockIdx() const;  // 0 or 1 of the vector cores of a mixed block
  uint32_t SubBlockNum() const;
  bool IsCube() const;  // g_coreType == AIC
  uint64_t TilingKey() const;
  uint64_t ClockCycles() const;  // GetSystemCycle: modelled, monotonic
  uint64_t BytesOf(Space space) const;

  CoreState &state() { return *state_; }
  Queues &queues();  // buffers and queues of the block's TPipe

  Registers registers;  // mask, atomic mode, results of reductions: set by one API function, read by another

 private:
  friend class Launcher;
  CoreState *state_ = nullptr;
};

}  // namespace sim
