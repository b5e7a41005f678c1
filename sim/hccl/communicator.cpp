// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include <unistd.h>

#include <condition_variable>
#include <cstring>

namespace sim::hccl {

using runtime::Text;

class Finished {
 public:
  void Set() {
    std::lock_guard<std::mutex> lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }

  bool Wait(const Deadline &deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!set_ && !deadline.Passed()) changed_.wait_for(lock, std::chrono::milliseconds(10));
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

runtime::Registry<Communicator> &Communicators() {
  static auto *communicators =
      new runtime::Registry<Communicator>;  // never destroyed: threads may outlive main
  return *communicators;
}

std::string ListRanks(uint32_t ranks, const std::function<bool(uint32_t)> &chosen) {
  std::string list;
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (!chosen(rank)) continue;
    list += (count++ == 0 ? "" : ", ") + std::to_string(rank);
  }
  return (count == 1 ? "rank " : "ranks ") + list;
}

Communicator::Communicator(std::shared_ptr<SharedMemory> memory, uint32_t ranks, uint32_t rank,
                           int32_t device, Settings settings)
    : memory_(std::move(memory)),
      ranks_(ranks),
      rank_(rank),
      device_(device),
      settings_(std::move(settings)),
      sent_(ranks),
      received_(ranks) {}

std::shared_ptr<Communicator> Communicator::Join(std::shared_ptr<SharedMemory> memory, uint32_t ranks,
                                                 uint32_t rank, int32_t device, Settings settings,
                                                 std::string *error) {
  RankState &state = memory->state(rank);
  if (state.stage.load() != Stage::kAbsent) {
    *error = Text("rank ", rank, " has joined already");
    return nullptr;
  }
  state.pid = getpid();
  state.started = StartOf(state.pid);
  Stage expected = Stage::kAbsent;
  if (!state.stage.compare_exchange_strong(expected, Stage::kJoined)) {
    *error = Text("rank ", rank, " has joined already");
    return nullptr;
  }
  Wake(state.steps);
  return std::shared_ptr<Communicator>(
      new Communicator(std::move(memory), ranks, rank, device, std::move(settings)));
}

Cause Communicator::Meet(int32_t seconds) {
  const Deadline deadline(seconds);
  const auto absent = [this](uint32_t rank) { return memory_->state(rank).stage.load() == Stage::kAbsent; };
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    while (absent(rank)) {
      if (deadline.Passed()) {
        return {HCCL_E_TIMEOUT, Text(ListRanks(ranks_, absent), " did not join within ", seconds,
                                     " s (HCCL_CONNECT_TIMEOUT)")};
      }
      for (uint32_t other = 0; other < ranks_; ++other) {
        if (other == rank_ || absent(other)) continue;
        if (Cause lost = Lost(other); !lost.ok()) return lost;
      }
      WaitAMoment(memory_->state(rank).steps, 0);
    }
  }
  return {};
}

Communicator::~Communicator() {
  Stage expected = Stage::kJoined;
  own().stage.compare_exchange_strong(expected, Stage::kLeft);
  Wake(own().steps);
}

std::string Communicator::Place() const {
  return Text("on rank ", rank_, " of ", ranks_, ", communicator ", settings_.name);
}

void Communicator::Queue(const std::shared_ptr<runtime::Stream> &stream, bool captured,
                         std::function<Status()> run) {
  if (captured) {  // the graph has its own order, and may run many times
    stream->Push({std::move(run)});
    return;
  }
  std::lock_guard<std::mutex> lock(order_);
  const std::shared_ptr<Finished> before = last_stream_ == stream.get() ? nullptr : last_;
  const auto finished = std::make_shared<Finished>();
  const std::shared_ptr<void> holder(nullptr, [finished](void *) { finished->Set(); });
  last_ = finished;
  last_stream_ = stream.get();
  stream->Push({[this, before, holder, run = std::move(run)]() -> Status {
    if (before != nullptr && !before->Wait(Deadline(settings_.exec_timeout))) {
      return GiveUp("a call", {HCCL_E_TIMEOUT, Text("an earlier call on another stream was not done after ",
                                                    settings_.exec_timeout, " s (HCCL_EXEC_TIMEOUT)")});
    }
    return run();
  }});
}

uint64_t Communicator::Begin(const Call &call) {
  own().latest.store(call.kind);
  return own().collectives.fetch_add(1) + 1;
}

Cause Communicator::Lost(uint32_t rank, bool look) const {
  const RankState &peer = memory_->state(rank);
  switch (peer.stage.load()) {
    case Stage::kFailed:
      return {HCCL_E_REMOTE, std::string(peer.failure, strnlen(peer.failure, kFailureBytes))};
    case Stage::kLeft:
      return {HCCL_E_REMOTE, Text("rank ", rank, " has destroyed the communicator")};
    default:
      break;
  }
  if (look && peer.pid != getpid() && StartOf(peer.pid) != peer.started) {
    return {HCCL_E_REMOTE, Text("the process of rank ", rank, " (pid ", peer.pid, ") has ended")};
  }
  return {};
}

Cause Communicator::TimedOut(uint32_t step, const Call &call, uint64_t number) const {
  const auto missing = [this, step](uint32_t rank) {
    return static_cast<int32_t>(memory_->state(rank).steps.load() - step) < 0;
  };
  std::string latest;
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    if (!missing(rank)) continue;
    const RankState &state = memory_->state(rank);
    latest += Text(latest.empty() ? "" : ", ", "of rank ", rank, " it is call ", state.collectives.load(),
                   ", ", NameOf(state.latest.load()));
  }
  return {HCCL_E_TIMEOUT, Text(ListRanks(ranks_, missing), " did not take part in call ", number, ", ",
                               call.Description(), ", within ", settings_.exec_timeout,
                               " s (HCCL_EXEC_TIMEOUT); the latest collective ", latest)};
}

Cause Communicator::AwaitStep(uint32_t rank, uint32_t step, const Deadline &deadline, const Call &call,
                              uint64_t number) {
  const RankState &peer = memory_->state(rank);
  for (bool idle = false;;) {
    const uint32_t seen = peer.steps.load(std::memory_order_acquire);
    if (static_cast<int32_t>(seen - step) >= 0) return {};
    if (Cause lost = Lost(rank, idle); !lost.ok()) {
      // It may have done its part just before.
      if (static_cast<int32_t>(peer.steps.load(std::memory_order_acquire) - step) >= 0) return {};
      return lost;
    }
    if (idle && deadline.Passed()) return TimedOut(step, call, number);
    idle = WaitAMoment(peer.steps, seen);
  }
}

Cause Communicator::Step(const Call &call, uint64_t number) {
  const uint32_t step = own().steps.fetch_add(1, std::memory_order_release) + 1;
  Wake(own().steps);
  const Deadline deadline(settings_.exec_timeout);
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    if (Cause cause = AwaitStep(rank, step, deadline, call, number); !cause.ok()) return cause;
  }
  return {};
}

Status Communicator::GiveUp(const std::string &call, const Cause &cause) {
  {
    std::lock_guard<std::mutex> lock(failure_mutex_);
    if (failure_.ok()) {
      failure_ = cause;
      std::strncpy(own().failure, cause.text.c_str(), kFailureBytes - 1);
      own().stage.store(Stage::kFailed);
      Wake(own().steps);
      for (uint32_t rank = 0; rank < ranks_; ++rank) Wake(memory_->state(rank).bell);
    }
  }
  return {cause.code == HCCL_E_TIMEOUT ? ACL_ERROR_RT_TIMEOUT : ACL_ERROR_RT_IPC_ERROR,
          Text(call, " ", Place(), ": ", cause.text)};
}

Cause Communicator::failure() const {
  std::lock_guard<std::mutex> lock(failure_mutex_);
  return failure_;
}

Cause Communicator::Unusable() const {
  if (Cause own = failure(); !own.ok()) return own;
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    if (memory_->state(rank).stage.load() == Stage::kFailed) return Lost(rank, false);
  }
  return {};
}

}  // namespace sim::hccl
