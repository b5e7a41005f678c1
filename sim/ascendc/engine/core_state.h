// SPDX-License-Identifier: Apache-2.0
// All that a simulated AI core holds while its block runs, and what the judges read after the run.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "call_walk.h"
#include "core.h"
#include "device_memory.h"
#include "device_model.h"
#include "event_flags.h"
#include "events.h"
#include "faults.h"
#include "gm_words.h"
#include "hazards.h"
#include "launch.h"
#include "printed_lines.h"
#include "queues.h"
#include "recording.h"
#include "scalar_cache.h"
#include "tails.h"
#include "values.h"
#include "vector_cost.h"
#include "watch.h"

namespace sim {

class Scheduler;

struct CoreIdentity {
  uint32_t core = 0;  // number in the launch: one a block, or two or three of a mixed block
  const char *kernel = "";
  uint32_t block = 0;
  uint32_t blocks = 0;
  uint32_t sub_block = 0;  // of the vector cores of a mixed block
  uint32_t sub_blocks = 1;
  bool cube = false;
};

struct CoreCounters {
  PipeCounters pipes[kPipes];
  uint64_t gm_read_bytes = 0;
  uint64_t gm_write_bytes = 0;
  uint64_t scalar_accesses = 0;
};

struct GmProtocol {
  enum class Step : uint8_t { kOutside, kMeeting, kMet, kFlag };
  Step step = Step::kOutside;
  uint32_t cores = 0;  // how many meet; 0: all
};

class CoreState {
 public:
  CoreState(const CoreIdentity &identity, const DeviceModel &device, DeviceMemory &gm,
            const LaunchOptions &launch_options, Scheduler &scheduler, uint64_t key);

  // Starts with poisoned on-chip memories and fresh clocks. `outermost`: the frame that calls the kernel.
  void BeginBlock(const void *outermost);
  void EndBlock();  // checks what must be balanced
  void ReleaseMemories();

  void Issue(const Instruction &instruction);
  std::byte *Memory(Space space, uint64_t address);
  void CleanDataCache(const char *instruction, bool all, uint64_t address, Where where);
  // Says that bytes which this core wrote through its data cache are in GM now.
  void PublishLine(uint64_t address, uint64_t bytes, uint32_t site);
  // Ends a poll; call it without the scheduler's lock, before this core tells others what it knows.
  void SettlePoll();
  // Says that the last access of S read a word in GM itself.
  void NotePoll(uint64_t address, uint64_t bytes);
  bool Allocated(uint64_t address, uint64_t bytes);  // by one allocation of GM or its padding
  bool InAllocation(uint64_t begin, uint64_t end);   // the same without the padding
  Core::Holder HolderOf(uint64_t address, uint64_t bytes, uint64_t start);
  bool Reported(FaultKind kind, const char *instruction, Where where);
  void Report(FaultKind kind, const char *instruction, Where where, const std::string &text);
  // The same for a fault that names several sites, the first of which is where it is.
  void Report(FaultKind kind, const std::string &text, const std::vector<Site> &sites);
  [[noreturn]] void Fail(FaultKind kind, const char *instruction, Where where, const std::string &text);

  // A token stands for one setting of a flag. SetToken returns a token for all work that `from` has so far;
  // WaitToken makes `to` wait until that work is done.
  static constexpr int32_t kNoId = -1;  // a token that no event id stands for
  uint32_t SetToken(Pipe from, Pipe to, Where where, int32_t id = kNoId);
  void WaitToken(Pipe from, Pipe to, uint32_t token, Where where, int32_t id = kNoId);
  void Barrier(Pipe pipe, Where where);
  void BarrierAll(Where where);

  // Meetings with other cores. ReleaseGlobal returns what this core knows to be done; AcquireGlobal adds what
  // another core knew.
  GlobalClock ReleaseGlobal(Pipe pipe);
  void AcquireGlobal(const GlobalClock &clock);
  void AddEvent(Event::Kind kind, Pipe pipe, uint32_t token, uint32_t site);

  bool skipping() const { return !skipped_.empty(); }  // the present instruction works on copies
  bool recorded() const { return options->record != LaunchOptions::Record::kNothing; }
  const Cycles &pending_scalar() const { return pending_scalar_; }
  // The number of an API call in sites(): one for each line and each path that led there.
  uint32_t SiteOf(const char *name, Where where);
  const Site &SiteAt(const char *name, Where where) { return sites_[SiteOf(name, where)]; }
  const std::vector<Site> &sites() const { return sites_; }
  // From here on API calls stand at this frame; null: they stand where they are made.
  void StandAt(const CallFrame *frame) { innermost_frame_ = frame; }

  const CoreIdentity id;
  const DeviceModel *const model;
  DeviceMemory *const memory;
  const LaunchOptions *const options;
  Scheduler *const scheduler;
  const uint64_t tiling_key;

  FaultLog log;
  Hazards hazards;
  Queues queues;
  EventFlags flags;
  ScalarCache cache;
  Values values;
  Tails tails{&hazards.gm()};
  Watch watch;
  PrintedLines printed;
  CoreCounters counters;
  std::vector<Event> events;
  Recording recording;
  // For each 512 bytes of L0C, for instructions with unitFlag.
  struct UnitFlag {
    bool full = false;   // the product is complete, and Fixpipe may read it
    bool known = false;  // `token` stands for the instruction that changed `full` last
    uint32_t token = 0;
  };
  std::vector<UnitFlag> unit_flags;
  uint64_t ub_peak = 0;     // of the buffers of TPipe; where it has none: ub_touched
  uint64_t ub_touched = 0;  // the end of the highest byte that an operand touched
  // Where the core is in a protocol that orders cores by words in global memory (kernel libraries alone have
  // those).
  GmProtocol protocol;
  // Global memory through which copies from UB to TSCM go: its address and bytes.
  std::pair<uint64_t, uint64_t> way_to_tscm{};
  bool prepares = false;     // runs what CANN's build puts before a kernel
  double elapsed = 0;        // cycles, as if nothing overlapped
  bool ended_early = false;  // by a fault

 private:
  // Names and files are literals, so that their addresses tell them apart.
  struct SiteKey {
    const char *name;
    const char *file;
    int line;
    uint64_t path;  // HashOfCallPath
    bool operator==(const SiteKey &other) const {
      return name == other.name && file == other.file && line == other.line && path == other.path;
    }
  };
  struct SiteHash {
    size_t operator()(const SiteKey &key) const {
      return (reinterpret_cast<size_t>(key.name) * 31 + reinterpret_cast<size_t>(key.file)) * 4099 +
             static_cast<size_t>(key.line) + key.path;
    }
  };

  void Judge(const Instruction &instruction, uint32_t site_id);
  void RecordGm(const Instruction &instruction, const Operand &operand, uint32_t site);
  // polled_words.cpp
  GmWords::Note NoteOf(Pipe pipe) const;
  void AddPosts(uint32_t site);  // of the writes that the present instruction has published
  void PublishWrite(const Instruction &instruction, const Operand &operand);
  bool IsNews(uint64_t address, GmWords::Note *note);
  void EndPoll();
  // Counts what the core issues, and ends it where it does not end itself.
  Watch::Verdict Step(bool scalar, bool progress, uint32_t site);
  // legality.cpp. These return whether the operand lies in its memory.
  bool CheckOperand(const Operand &operand, const Site &site, Where where);
  bool CheckGmBounds(const Operand &operand, const Site &site, Where where);
  // overlaps.cpp
  void CheckOverlaps(const Instruction &instruction, const Site &site);
  bool LiesInUnusedLanes(const Instruction &instruction, int64_t written, const Operand &from);
  // skipped_instructions.cpp: until the next instruction, the memory of this one is a copy that nobody looks
  // at.
  void Skip(const Instruction &instruction);
  std::byte *MemoryOfSkipped(Space space, uint64_t address);  // null: not in a copy
  // accounting.cpp
  void Pass(const Cycles &scalar);  // the scalar unit works
  void TakePendingScalar(Event *event);
  void Account(const Instruction &instruction, uint32_t site);
  Cycles ScalarCycles(const Instruction &instruction);
  Cycles ScalarWait();  // for the values of the reads before
  void SetWork(const Instruction &instruction, Event *event);
  void AddCopy(const Instruction &instruction, const Operand &gm, uint32_t site);

  std::unique_ptr<std::byte[]> chips_[kSpaces];
  struct Window {
    Space space = Space::GM;
    int64_t begin = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<Window> skipped_;  // memory of the present instruction in place of the real one
  const void *outermost_frame_ = nullptr;
  const CallFrame *innermost_frame_ = nullptr;
  std::vector<Site> sites_;
  std::deque<CallPath> paths_;  // of sites_, which point to them
  std::unordered_map<SiteKey, uint32_t, SiteHash> site_ids_;
  // Those of site_ids_ that were looked up last, by their hash: instructions mostly come in loops.
  struct RecentSite {
    SiteKey key{};
    uint32_t id = 0;
  };
  static constexpr size_t kRecentSites = 64;
  RecentSite recent_sites_[kRecentSites];
  std::vector<Clock> tokens_;
  Cycles pending_scalar_;
  bool scalar_loading_ = false;
  size_t scalar_writes_ = 0;  // instructions
  uint64_t polled_ = 0;       // the address that the last instruction read in GM; 0: none
  uint32_t poll_ = 0;         // this read, in GmLog::accesses
  // Addresses that were read so; whether they have had no news since; what the core had done when it asked,
  // but for reads.
  struct Asked {
    bool waits = false;
    size_t work = SIZE_MAX;
    Cycles pending_scalar;
  };
  std::map<uint64_t, Asked> asked_;
  std::vector<std::pair<Pipe, uint32_t>> new_posts_;
  uint64_t last_allocation_ = 0;
  uint64_t last_allocation_size_ = 0;  // with its padding
  uint64_t last_padding_ = 0;
  VectorCosts vector_costs_;
  uint64_t cached_lines_[256] = {};  // tags of the scalar unit's data cache
};

}  // namespace sim
