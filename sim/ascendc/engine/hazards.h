// SPDX-License-Identifier: Apache-2.0
// Happens-before of one core: vector clocks of its pipes, shadow of its on-chip memories, log of its GM
// accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "clock.h"
#include "device_memory.h"
#include "events.h"
#include "faults.h"

namespace sim {

// One access to GM, kept to be judged against other pipes and other cores after the run.
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
  bool atomic = false;

  uint64_t end() const { return address + static_cast<uint64_t>((rows - 1) * row_stride) + row_bytes; }
};

struct GmLog {
  std::vector<GmAccess> accesses;
  std::vector<Clock> clocks;
  std::vector<GlobalClockPtr> global_clocks;
};

class Queues;

class Hazards {
 public:
  // `queues` names the buffers in reports.
  explicit Hazards(const Queues *queues) : queues_(queues) {}
  void Reset(bool auto_sync, const uint64_t *space_bytes);

  void ReleaseShadows();

  // Takes the next number of `pipe`; S hands what it waited for to the pipe it issues to.
  // `chained`: the pipe itself orders this instruction after its earlier ones.
  void Advance(Pipe pipe, bool chained);
  // Judges one operand of the instruction Advance announced, then Record notes it.
  // Returns the pipes S has to wait for under auto-sync, as a bit mask.
  uint32_t Judge(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                 FaultLog *log);
  void Record(Pipe pipe, const Operand &operand, uint32_t site, bool atomic);

  // A flag carries what its pipe has done and knows; joining it is waiting for it.
  Clock Release(Pipe pipe);
  void Acquire(Pipe pipe, const Clock &clock) { Join(&clocks_[Index(pipe)], clock); }
  void Barrier(Pipe pipe) { clocks_[Index(pipe)][Index(pipe)] = sequence_[Index(pipe)]; }
  void BarrierAll();
  void AcquireGlobal(GlobalClockPtr clock) { gm_.global_clocks.push_back(std::move(clock)); }
  const Clock &sequence() const { return sequence_; }
  GmLog &gm() { return gm_; }

 private:
  struct Cell {
    uint32_t sequence = 0;  // 0: never
    uint32_t site = 0;
  };
  // Per 32 B block: its last write, and its last read by each pipe.
  struct Shadow {
    std::vector<Cell> writes;
    std::vector<uint8_t> write_pipes;
    std::vector<Cell> reads[kPipes];
  };
  static constexpr uint64_t kCellBytes = 32;
  // Blocks [first, end) of an operand that an earlier call touches, unordered; end 0: none.
  struct Conflict {
    Pipe pipe = Pipe::S;
    bool write = false;
    uint32_t site = 0;
    uint64_t first = 0;
    uint64_t end = 0;
  };

  bool Ordered(Pipe pipe, Pipe earlier, uint32_t sequence) const {
    return clocks_[Index(pipe)][Index(earlier)] >= sequence;
  }
  void Report(Pipe pipe, const Operand &operand, const Site &site, const Conflict &conflict,
              const std::vector<Site> &sites, FaultLog *log) const;
  uint32_t JudgeCells(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                      uint64_t first, uint64_t last, FaultLog *log);
  void RecordGm(Pipe pipe, const Operand &operand, uint32_t site, bool atomic);

  const Queues *const queues_;
  bool auto_sync_ = true;
  const uint64_t *space_bytes_ = nullptr;
  Clock sequence_{};           // instructions issued to each pipe
  Clock clocks_[kPipes] = {};  // what each pipe knows
  uint32_t epochs_[kPipes] = {};
  uint32_t last_clock_[kPipes] = {};
  uint32_t last_access_[kPipes] = {};
  Shadow shadows_[kSpaces];
  GmLog gm_;
};

// "SetFlag/WaitFlag<HardEvent::MTE2_V> (or EnQue/DeQue)" or "PipeBarrier<PIPE_V>".
std::string OrderOf(Pipe earlier, Pipe later);

// The judge of GM after a run. `logs` and `sites` by core; faults go to the core of the later access.
struct GmCore {
  uint32_t block;
  bool auto_sync;
  GmLog *log;
  const std::vector<Site> *sites;
  FaultLog *faults;
};
void JudgeGm(const std::vector<GmCore> &cores, const DeviceMemory &memory);

}  // namespace sim
