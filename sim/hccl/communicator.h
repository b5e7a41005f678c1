// SPDX-License-Identifier: Apache-2.0
// A communicator as one rank sees it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/runtime/registry.h"
#include "acl/runtime/stream.h"
#include "shared_memory.h"
#include "waiting.h"

namespace sim::hccl {

using runtime::Status;

// Why a call cannot be completed. Empty text: it can.
struct Cause {
  HcclResult code = HCCL_SUCCESS;
  std::string text;

  bool ok() const { return code == HCCL_SUCCESS; }
};

// Is set when the last copy of its holder is gone: the call ran, or was dropped.
class Finished;

class Communicator {
 public:
  struct Settings {
    std::string name;
    int32_t exec_timeout = 0;  // seconds; 0: none
  };

  // Takes a place in the shared memory; Meet waits for the other ranks.
  static std::shared_ptr<Communicator> Join(std::shared_ptr<SharedMemory> memory, uint32_t ranks,
                                            uint32_t rank, int32_t device, Settings settings,
                                            std::string *error);
  Cause Meet(int32_t seconds);
  ~Communicator();  // tells the other ranks that this one has left
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  uint32_t rank() const { return rank_; }
  uint32_t ranks() const { return ranks_; }
  int32_t device() const { return device_; }
  const std::string &name() const { return settings_.name; }
  const Settings &settings() const { return settings_; }
  SharedMemory &memory() const { return *memory_; }
  RankState &own() const { return memory_->state(rank_); }

  // Queues a call. The calls of a communicator run in the order in which they are queued, also on several
  // streams. `captured`: the stream gives them to a graph.
  void Queue(const std::shared_ptr<runtime::Stream> &stream, bool captured, std::function<Status()> run);
  // A call that runs holds this, because a captured graph may run beside other streams.
  std::mutex &running() { return running_; }

  // Remembers a collective that begins, and returns its number.
  uint64_t Begin(const Call &call);
  // Says that this rank has done its part of a step of a collective, and waits for the others.
  Cause Step(const Call &call, uint64_t number);
  // Chooses the half of the staging memory for the next round.
  uint32_t half() const { return half_; }
  void NextHalf() { half_ ^= 1; }

  // Says why a rank will not do anything any more, if so. `look`: whether its process still runs, too.
  Cause Lost(uint32_t rank, bool look = true) const;
  // The numbers of the next transfers to and from a rank.
  uint64_t NextSent(uint32_t to) { return ++sent_[to]; }
  uint64_t NextReceived(uint32_t from) { return ++received_[from]; }

  // Gives the communicator up: all later calls fail, and the other ranks are told why. `call` describes the
  // call for the message.
  Status GiveUp(const std::string &call, const Cause &cause);
  // Why this rank has given the communicator up.
  Cause failure() const;
  // The same, also where another rank has: a call that begins then cannot be completed by all.
  Cause Unusable() const;
  // "on rank 1 of 4, communicator hccl_1a2b"
  std::string Place() const;

 private:
  Communicator(std::shared_ptr<SharedMemory> memory, uint32_t ranks, uint32_t rank, int32_t device,
               Settings settings);
  Cause AwaitStep(uint32_t rank, uint32_t step, const Deadline &deadline, const Call &call, uint64_t number);
  Cause TimedOut(uint32_t step, const Call &call, uint64_t number) const;

  const std::shared_ptr<SharedMemory> memory_;
  const uint32_t ranks_;
  const uint32_t rank_;
  const int32_t device_;
  const Settings settings_;

  std::mutex running_;
  uint32_t half_ = 0;
  std::vector<uint64_t> sent_, received_;

  std::mutex order_;
  const void *last_stream_ = nullptr;
  std::shared_ptr<Finished> last_;

  mutable std::mutex failure_mutex_;
  Cause failure_;
};

runtime::Registry<Communicator> &Communicators();

// "2, 3" of the ranks for which `chosen` holds.
std::string ListRanks(uint32_t ranks, const std::function<bool(uint32_t)> &chosen);

}  // namespace sim::hccl
