// SPDX-License-Identifier: Apache-2.0
// Which instruction of a core is known to happen before which other one: the vector clocks of its pipes, the
// last accesses to each part of its on-chip memories (the shadow), and the log of its accesses to GM.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "clock.h"
#include "device_memory.h"
#include "events.h"
#include "faults.h"
#include "registers.h"

namespace sim {

constexpr uint64_t kCacheLine = 64;  // bytes of a line of the scalar unit's data cache

inline AtomicType TypeOfAtomic(uint8_t atomic) {  // Instruction::atomic
  return static_cast<AtomicType>(atomic & 15);
}

// What the data cache of the scalar unit has to do with an access to GM.
struct GmCaching {
  bool cached = false;   // the access goes through the cache
  uint32_t loaded = 0;   // when its line came into the cache: index in GmLog::global_clocks
  uint32_t cleaned = 0;  // a write: instruction of S that wrote the line back; 0: none before the end
  bool fresh = false;    // a read that looked into GM for what others write (gm_words.h)
  bool operator==(const GmCaching &other) const {
    return cached == other.cached && loaded == other.loaded && cleaned == other.cleaned &&
           fresh == other.fresh;
  }
};

// One access to GM. It is judged against those of other pipes and other cores after the run.
struct GmAccess {
  uint64_t address = 0;
  uint64_t row_bytes = 0;
  uint32_t rows = 1;
  int64_t row_stride = 0;
  uint32_t sequence = 0;  // of `pipe`
  uint32_t site = 0;
  uint32_t clock = 0;         // index in GmLog::clocks: what `pipe` knew when it was issued
  uint32_t global_clock = 0;  // index in GmLog::global_clocks
  uint32_t epoch = 0;         // flags set by `pipe` so far
  Pipe pipe = Pipe::S;
  bool write = false;
  uint8_t atomic = 0;  // Instruction::atomic
  uint32_t after = 0;  // of a fresh read: index in GmLog::global_clocks, what the core knew afterwards
  GmCaching caching;
  static constexpr uint32_t kNoTails = UINT32_MAX;
  static constexpr uint32_t kTailBytes = 32;
  uint32_t tails = kNoTails;  // index in GmLog::tails of the tail of the first row

  uint64_t end() const { return address + static_cast<uint64_t>((rows - 1) * row_stride) + row_bytes; }
};

struct GmLog {
  std::vector<GmAccess> accesses;
  std::vector<Clock> clocks;
  std::vector<GlobalClockPtr> global_clocks;
  std::vector<uint32_t> tails;  // bit i: the core uses byte i of this tail (tails.h)
};

class Queues;

class Hazards {
 public:
  // `queues` names the buffers in reports.
  explicit Hazards(const Queues *queues) : queues_(queues) {}
  void Reset(bool auto_sync, const uint64_t *space_bytes);

  void ReleaseShadows();

  // Announces an instruction of a call site: it gets the next number of its pipe. What S has waited for is
  // done for this pipe too, as S issues to it.
  void Advance(const Instruction &instruction, uint32_t site);
  // Judges one operand of the instruction that Advance announced; Record notes it afterwards. Returns a bit
  // mask of the pipes for which S has to wait under automatic synchronisation.
  uint32_t Judge(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                 FaultLog *log);
  void Record(Pipe pipe, const Operand &operand);
  void RecordGm(Pipe pipe, const Operand &operand, uint32_t site, uint8_t atomic, const GmCaching &caching);
  // The last access that RecordGm noted of this pipe: index in GmLog::accesses.
  uint32_t LastAccess(Pipe pipe) const { return last_access_[Index(pipe)]; }

  // A flag carries what its pipe has done and knows (Release). Who waits for the flag knows that too
  // (Acquire).
  Clock Release(Pipe pipe);
  Clock Done(Pipe pipe) const;  // what a flag would carry
  void Acquire(Pipe pipe, const Clock &clock);
  void Barrier(Pipe pipe);
  void BarrierAll();
  void AcquireGlobal(GlobalClockPtr clock) { gm_.global_clocks.push_back(std::move(clock)); }
  const Clock &sequence() const { return sequence_; }
  GmLog &gm() { return gm_; }
  const GmLog &gm() const { return gm_; }

 private:
  // For each data block of 32 bytes (a cell) the number of its last write, with the pipe, and of its last
  // read by each pipe; 0: never. A page holds the latest numbers of its cells, so that most operands need no
  // look at these: where a pipe knows all accesses to a page, it knows those to each cell. An access to all
  // of a page is noted in the page alone, until somebody asks for its cells (Expand).
  struct Page {
    Clock writes{};
    Clock reads{};
    uint32_t by_address = 0;  // the last write of V that automatic synchronisation does not see
    uint32_t whole_write = 0;
    Pipe whole_pipe = Pipe::S;  // of whole_write
    Clock whole_reads{};
  };
  struct Shadow {
    std::vector<Page> pages;
    std::vector<uint32_t> writes;
    std::vector<uint8_t> write_pipes;
    std::vector<uint32_t> reads[kPipes];
  };
  static constexpr uint64_t kCellBytes = 32;
  static constexpr uint64_t kPageCells = 32;
  static constexpr uint64_t kPageBytes = kPageCells * kCellBytes;
  // The data blocks [first, end) of an operand, which an earlier call touches without an order; end 0: none.
  struct Conflict {
    Pipe pipe = Pipe::S;
    bool write = false;
    bool unseen = false;
    uint32_t site = 0;
    uint64_t first = 0;
    uint64_t end = 0;
  };

  // Automatic synchronisation sees tensors alone. Says whether it sees neither the instruction that Advance
  // announced nor an earlier one, or one of the two, because an operand is given by its address.
  bool Unseen(Pipe pipe, Pipe earlier, uint32_t sequence) const;
  void JoinWaited(Clock *known, int pipe, uint32_t sequence) const;
  void Report(Pipe pipe, const Operand &operand, const Site &site, const Conflict &conflict,
              const std::vector<Site> &sites, FaultLog *log) const;
  // Says whether an access to these bytes may be in conflict with an earlier one.
  bool Noisy(Pipe pipe, bool write, const Shadow &shadow, uint64_t begin, uint64_t end) const;
  static void Expand(Shadow *shadow, uint64_t page);
  void RecordCells(Shadow *shadow, int pipe, bool write, uint64_t first, uint64_t end);
  uint32_t JudgeCells(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                      uint64_t first, uint64_t last, FaultLog *log);

  const Queues *const queues_;
  bool auto_sync_ = true;
  // What V knows of itself by the source: by barriers and flags, not by automatic synchronisation.
  uint32_t certain_ = 0;
  bool by_address_ = false;             // the instruction that Advance announced
  std::vector<uint32_t> by_addresses_;  // the numbers of such instructions of V, in order
  const uint64_t *space_bytes_ = nullptr;
  Clock sequence_{};                      // instructions issued to each pipe
  std::vector<uint32_t> issued_[kPipes];  // the call site of each of them
  Clock clocks_[kPipes] = {};             // what each pipe knows
  // What each pipe had waited for of other pipes but S, from the instruction of a number on.
  std::vector<std::pair<uint32_t, Clock>> waited_[kPipes];
  uint32_t epochs_[kPipes] = {};
  uint32_t last_clock_[kPipes] = {};
  uint32_t last_access_[kPipes] = {};
  Shadow shadows_[kSpaces];
  GmLog gm_;
};

// Names what orders the pipe `later` after `earlier`: "SetFlag/WaitFlag<HardEvent::MTE2_V> (or EnQue/DeQue,
// …)" or "PipeBarrier<PIPE_V>".
std::string OrderOf(Pipe earlier, Pipe later);

// Judge the accesses to GM after a run: those that nothing orders, and those that see what another core's
// data cache held back. A fault goes to the log of the core with the later access.
struct GmCore {
  uint32_t block;
  bool auto_sync;
  GmLog *log;
  const std::vector<Site> *sites;
  FaultLog *faults;
};
void JudgeGm(const std::vector<GmCore> &cores, const DeviceMemory &memory);
void JudgeCoherence(const std::vector<GmCore> &cores, const DeviceMemory &memory);

}  // namespace sim
