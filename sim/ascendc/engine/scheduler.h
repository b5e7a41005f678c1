// SPDX-License-Identifier: Apache-2.0
// Runs the cores of a launch on few host threads and lets them meet. Where all that are left wait for each
// other, as they would do for ever on a device, it ends them with a fault.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "core_state.h"
#include "cube_service.h"
#include "flag_counters.h"
#include "gm_words.h"

namespace sim {

class Scheduler {
 public:
  // `run` executes one core; `order` is the order in which they start.
  Scheduler(std::vector<uint32_t> order, uint32_t permits, std::function<void(uint32_t)> run);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;
  void RunAll();

  // SyncAll: waits until all cores came. With `vector_only` cube cores do not wait and do not count. `cores`:
  // how many meet; 0: all.
  void Meet(CoreState &core, bool vector_only, uint32_t cores, Where where);
  void CrossCoreSet(CoreState &core, uint8_t mode, Pipe pipe, uint16_t flag, Where where);
  void CrossCoreWait(CoreState &core, uint16_t flag, Where where);
  // A flag in global memory: one core sets it, another one waits for it and clears it. The first waits until
  // the flag is as given, the second changes it.
  struct GmFlag {
    int32_t block;
    int32_t event;
    uint64_t group = 0;  // the workspace of a GroupBarrier, where block arrives and event waits; else 0

    bool operator<(const GmFlag &other) const {
      return std::tie(block, event, group) < std::tie(other.block, other.event, other.group);
    }
  };
  void AwaitGmFlag(CoreState &core, GmFlag flag, bool set, const char *name, Where where);
  void ChangeGmFlag(CoreState &core, GmFlag flag, bool set, const char *name, Where where,
                    Pipe pipe = Pipe::S);
  // The functions of cube_service.h. NextCall returns null when all vector cores have left.
  void SendCall(CoreState &core, const CubeCallPtr &call, const char *name, Where where);
  void AwaitReply(CoreState &core, CubeCall &call, uint32_t number, const char *name, Where where);
  void LeaveService(CoreState &core);
  CubeCallPtr NextCall(CoreState &core, Where where);
  void Reply(CoreState &core, CubeCall &call, const char *name, Where where);
  uint64_t LibraryMemory(CoreState &core, uint64_t bytes);
  uint32_t CoresOf(uint32_t block, bool cube) const;  // how many of one kind
  // What one core lets another one know: everything that happened before, as far as its pipe knows it.
  struct Letter {
    GlobalClock clock;
    KnownWaits waits;
    uint32_t delivery = 0;
  };
  void Register(CoreState *core) { cores_.push_back(core); }
  size_t cores() const { return cores_.size(); }
  bool alone() const { return cores_.size() == 1; }
  GmWords &words() { return words_; }
  // In libraries of kernels, where CANN's Matmul sends messages, who polls a word waits for its write in the
  // cost model too.
  bool posts_writes() const { return posts_writes_; }
  void PostWrites() { posts_writes_ = true; }
  uint32_t NewPost();
  void TakePost(CoreState &core, uint32_t post, uint32_t site);
  // Lets other cores run, where any can: for a core that may wait for what they do.
  void Yield();
  // Waits until `published`, which looks into words() for a write of another core. Returns false where no
  // core is left that could write the word back, as all that have not ended wait, too.
  bool AwaitWord(const std::function<bool()> &published);
  void WordPublished();
  // Reports, after the run, cross-core flags that nobody waited for, as they would let a later kernel go on
  // too early, and those whose counter served two ends at a time.
  void ReportFlags();

  // For the cost model: how many cores each meeting has, and which settings of flags each delivery consists
  // of.
  const std::vector<uint32_t> &meetings() const { return meetings_; }
  const std::vector<std::vector<uint32_t>> &deliveries() const { return deliveries_; }

 private:
  struct Gathering {
    uint32_t arrived = 0;
    uint32_t id = 0;  // in meetings_
    uint64_t round = 0;
    GlobalClock joined;
    KnownWaits waits;
    KnownWaits known;  // of all that met
    std::shared_ptr<const GlobalClock> result;
  };
  struct Post {
    GlobalClock clock;
    KnownWaits waits;
    uint32_t token = 0;
    Site site;
    bool prepared = false;  // set before the kernel began
  };
  struct GmFlagState {
    bool set = false;
    bool known = false;  // somebody has changed it
    Letter change;       // the last one
  };
  // The calls to the cube core of a block.
  struct Desk {
    std::deque<CubeCallPtr> calls;
    uint32_t left = 0;  // vector cores that send no more
  };
  // A cross-core flag reaches its receivers once every sender has set it.
  struct Exchange {
    std::map<uint32_t, std::deque<Post>> posts;  // by sending core
    std::vector<uint32_t> senders;
    std::vector<uint32_t> receivers;
  };

  Letter Seal(CoreState &core, Pipe pipe, const char *name, Where where);
  void Open(CoreState &core, const Letter &letter, const char *name, Where where);
  void Work();
  // Waits until `ready`, and gives the permit to run to another core meanwhile. Returns false where no core
  // is left that could make it true.
  bool WaitFor(std::unique_lock<std::mutex> *lock, const std::function<bool()> &ready);
  void TakePermit(std::unique_lock<std::mutex> *lock);  // in the order of the calls
  // Notes the flags of SyncAll that hold what the kernel set itself.
  void NoteTakenFlags(bool vector_only, const Site &meeting);
  void Released();      // something that a waiting core may wait for has happened
  void NobodyRuns();    // all cores have ended or wait
  void DeclareStuck();  // nobody runs any more, and somebody waits
  enum class Kinds : uint8_t { kAll, kVector, kCube };
  // Fails where `cores` cores of these kinds are to meet, but the device does not run so many at a time.
  void CheckResident(CoreState &core, const char *name, Kinds kinds, uint32_t cores, Where where) const;
  static void CheckFlagId(CoreState &core, const char *name, uint16_t flag, Where where);
  static FlagCounters::Group GroupOf(const CoreState &core, uint8_t mode, uint16_t flag);
  Exchange &ExchangeOf(const CoreState &core, uint8_t mode, uint16_t flag);
  [[noreturn]] void Stuck(std::unique_lock<std::mutex> *lock, CoreState &core, const char *name, Where where,
                          const std::string &text);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  const std::vector<uint32_t> order_;
  const std::function<void(uint32_t)> run_;
  uint32_t next_ = 0;
  uint32_t permits_;
  uint32_t blocked_ = 0;
  uint32_t ended_ = 0;
  uint64_t releases_ = 0;
  std::atomic<uint32_t> await_words_ = 0;  // how many cores wait in AwaitWord
  uint64_t hopeless_ = 0;  // how often these were told that nobody would write their words back
  uint64_t tickets_ = 0;   // of cores that wait for a permit
  uint64_t served_ = 0;
  bool stuck_ = false;
  bool stuck_by_fault_ = false;  // a block that died is why

  std::vector<CoreState *> cores_;
  Gathering gatherings_[2];  // all cores, vector cores
  std::vector<uint32_t> meetings_;
  std::vector<std::vector<uint32_t>> deliveries_;
  uint32_t posts_ = 0;
  bool posts_writes_ = false;
  std::map<FlagCounters::Group, Exchange> exchanges_;
  std::map<std::pair<uint32_t, uint16_t>, std::deque<Post>> inboxes_;  // core, flag
  std::map<GmFlag, GmFlagState> gm_flags_;
  FlagCounters counters_;
  std::map<uint32_t, Desk> desks_;  // by block
  std::vector<std::pair<DeviceMemory *, void *>> library_memory_;
  GmWords words_;
};

class CubeCall {
 public:
  uint32_t object = 0;
  CubeCallBody body;
  Scheduler::Letter sent;
  std::deque<Scheduler::Letter> replies;
};

}  // namespace sim
