// SPDX-License-Identifier: Apache-2.0
#include "event.h"

#include <atomic>

namespace sim::runtime {
namespace {

uint32_t NextEventId() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

}  // namespace

Event::Event(uint32_t flags) : id_(NextEventId()), flags_(flags) {}

void Event::Record(const std::shared_ptr<Event> &event, Stream &stream) {
  const std::shared_ptr<Graph> capture = stream.Capture();
  uint64_t mark;
  {
    std::lock_guard<std::mutex> lock(event->mutex_);
    event->capture_ = capture;
    // Inside a capture an event only says which stream depends on which other one.
    if (capture != nullptr) return;
    mark = ++event->recorded_;
    event->pending_.insert(mark);
  }
  Stream *const owner = &stream;
  stream.Push({[event, mark, owner] {
                 event->Reach(mark, owner->Failure());
                 return Status{};
               },
               true});
}

void Event::MakeWait(const std::shared_ptr<Event> &event, const std::shared_ptr<Stream> &stream) {
  if (const std::shared_ptr<Graph> capture = event->Capture(); capture != nullptr) {
    if (stream->Capture() == nullptr) Graph::Join(capture, stream);
    return;
  }
  uint64_t mark;
  {
    std::lock_guard<std::mutex> lock(event->mutex_);
    mark = event->recorded_;
    if (event->pending_.count(mark) == 0) return;
  }
  stream->Push({[event, mark] {
    event->WaitFor(mark, -1);
    return Status{};
  }});
}

void Event::Reach(uint64_t mark, Status failure) {
  std::lock_guard<std::mutex> lock(mutex_);
  pending_.erase(mark);
  if (mark > reached_) {
    reached_ = mark;
    reached_at_ = Clock::now();
    failure_ = std::move(failure);
  }
  changed_.notify_all();
}

Status Event::WaitFor(uint64_t mark, int32_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto reached = [this, mark] { return pending_.count(mark) == 0; };
  if (timeout_ms < 0) {
    changed_.wait(lock, reached);
  } else if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), reached)) {
    return {ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
            Text("event ", id_, " was not reached after ", timeout_ms, " ms")};
  }
  return failure_;
}

Status Event::Synchronize(int32_t timeout_ms) {
  uint64_t mark;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    mark = recorded_;
  }
  return WaitFor(mark, timeout_ms);
}

bool Event::Complete() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return pending_.count(recorded_) == 0;
}

bool Event::EverRecorded() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_ > 0;
}

Event::Clock::time_point Event::ReachedAt() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return reached_at_;
}

std::shared_ptr<Graph> Event::Capture() const {
  std::lock_guard<std::mutex> lock(mutex_);
  const std::shared_ptr<Graph> graph = capture_.lock();
  return graph != nullptr && graph->Capturing() ? graph : nullptr;
}

bool Event::has_time() const { return (flags_ & ACL_EVENT_TIME_LINE) != 0; }

}  // namespace sim::runtime
