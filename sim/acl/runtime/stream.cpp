// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <new>

#include "context.h"
#include "device_table.h"
#include "graph.h"

namespace sim::runtime {
namespace {

int32_t NextStreamId() {
  static std::atomic<int32_t> next{0};
  return next++;
}

// Runs a task. An exception becomes a failure, because nobody catches it on this thread.
Status RunSafely(const Task &task) {
  try {
    try {
      return task.run();
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &error) {
      return {ACL_ERROR_INTERNAL_ERROR, error.what()};
    } catch (...) {
      return {ACL_ERROR_INTERNAL_ERROR, "an exception of unknown kind"};
    }
  } catch (...) {
    return {ACL_ERROR_BAD_ALLOC, "no memory"};  // so short a text needs none itself
  }
}

}  // namespace

Stream::Stream(const Context *context, std::shared_ptr<Device> device, uint32_t priority, uint32_t flags)
    : context_(context),
      device_(std::move(device)),
      id_(NextStreamId()),
      priority_(priority),
      flags_(flags) {}

Stream::~Stream() { Close(false); }

void Stream::Push(Task task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (capture_ != nullptr) {
    const std::shared_ptr<Graph> graph = capture_;
    lock.unlock();
    graph->Append(std::move(task));
    return;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  tasks_.push_back(std::move(task));
  ++pushed_;
  queued_.notify_one();
}

void Stream::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    queued_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    const bool skip = stop_on_failure_ && !failure_.ok() && !task.always;
    lock.unlock();
    Status status;
    if (!skip) status = RunSafely(task);
    // What the task holds (executors, host buffers) must be freed before anybody sees that the stream is
    // idle.
    task = Task{};
    lock.lock();
    if (!status.ok() && failure_.ok()) failure_ = std::move(status);
    ++finished_;
    done_.notify_all();
  }
}

Status Stream::Synchronize(int32_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t target = pushed_;
  const auto reached = [this, target] { return finished_ >= target; };
  if (timeout_ms < 0) {
    done_.wait(lock, reached);
  } else if (!done_.wait_for(lock, std::chrono::milliseconds(timeout_ms), reached)) {
    return {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, Text("stream ", id_, " was not done after ", timeout_ms,
                                                   " ms; ", target - finished_, " tasks are left")};
  }
  Status status = failure_;
  if (!stop_on_failure_) failure_ = {};
  return status;
}

bool Stream::Idle() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return finished_ == pushed_;
}

void Stream::DropQueued() {
  std::deque<Task> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    if (task->always) {
      ++task;
      continue;
    }
    dropped.push_back(std::move(*task));
    task = tasks_.erase(task);
    ++finished_;
  }
  done_.notify_all();
}

void Stream::Close(bool drop_queued) {
  if (drop_queued) DropQueued();
  std::thread thread;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    thread.swap(thread_);
    queued_.notify_all();
  }
  if (!thread.joinable()) return;
  // The last owner of a stream may be one of its tasks.
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

bool Stream::OnOwnThread() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return thread_.get_id() == std::this_thread::get_id();
}

void Stream::SetStopOnFailure(bool stop) {
  std::lock_guard<std::mutex> lock(mutex_);
  stop_on_failure_ = stop;
}

Status Stream::Failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

std::shared_ptr<Graph> Stream::Capture() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return capture_;
}

void Stream::SetCapture(std::shared_ptr<Graph> graph) {
  std::lock_guard<std::mutex> lock(mutex_);
  capture_.swap(graph);
}

Registry<Stream> &Streams() {
  static auto *streams = new Registry<Stream>;  // never destroyed: threads may outlive main
  return *streams;
}

std::shared_ptr<Stream> FindStream(const char *call, aclrtStream handle, aclError *code) {
  if (handle == nullptr) {
    const std::shared_ptr<Context> context = CurrentContext(call, code);
    return context == nullptr ? nullptr : context->DefaultStream();
  }
  if ((*code = RefuseFork(call)) != ACL_SUCCESS) return nullptr;
  std::shared_ptr<Stream> stream = Streams().Find(handle);
  if (stream == nullptr) {
    *code = Fail(ACL_ERROR_RT_INVALID_HANDLE, call, ": stream ", handle,
                 " is no stream (never created, or destroyed already)");
  }
  return stream;
}

std::shared_ptr<Stream> UseStream(const char *call, aclrtStream handle, aclError *code) {
  std::shared_ptr<Stream> stream = FindStream(call, handle, code);
  if (stream == nullptr || handle == nullptr) return stream;
  const std::shared_ptr<Context> context = CurrentContext(call, code);
  if (context == nullptr) return nullptr;
  if (stream->context() != context.get()) {
    *code = Fail(ACL_ERROR_RT_STREAM_CONTEXT, call, ": stream ", stream->id(), " of device ",
                 stream->device()->id(), " does not belong to the current context (device ",
                 context->device()->id(),
                 "); make its context current with aclrtSetDevice or "
                 "aclrtSetCurrentContext");
    return nullptr;
  }
  return stream;
}

}  // namespace sim::runtime
