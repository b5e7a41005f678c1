// SPDX-License-Identifier: Apache-2.0
// An event is the latest mark that was put into a stream. A waiter waits for the mark that is the latest when
// the wait is queued.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

#include "graph.h"
#include "registry.h"
#include "stream.h"

namespace sim::runtime {

class Event {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Event(uint32_t flags);

  // Queues a mark on the stream.
  static void Record(const std::shared_ptr<Event> &event, Stream &stream);
  // Tasks that are queued on the stream from now on wait for the latest mark, where there is one.
  static void MakeWait(const std::shared_ptr<Event> &event, const std::shared_ptr<Stream> &stream);

  Status Synchronize(int32_t timeout_ms);
  bool Complete() const;
  bool EverRecorded() const;
  // The time at which the last mark was reached.
  Clock::time_point ReachedAt() const;
  // The capture in which the latest mark lies, until that capture ends.
  std::shared_ptr<Graph> Capture() const;

  uint32_t id() const { return id_; }
  bool has_time() const;

 private:
  void Reach(uint64_t mark, Status failure);
  Status WaitFor(uint64_t mark, int32_t timeout_ms);

  const uint32_t id_;
  const uint32_t flags_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t recorded_ = 0;  // the latest mark
  uint64_t reached_ = 0;   // the latest of those that were reached
  // Marks that were not reached yet. A program may record an event on one stream and then on another one,
  // which reaches its later mark first.
  std::set<uint64_t> pending_;
  Clock::time_point reached_at_{};
  Status failure_;
  std::weak_ptr<Graph> capture_;
};

}  // namespace sim::runtime
