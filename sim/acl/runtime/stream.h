// SPDX-License-Identifier: Apache-2.0
// A stream: a queue of tasks and the thread that runs them in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "error.h"
#include "registry.h"

namespace sim::runtime {

class Context;
class Device;
class Graph;

struct Task {
  std::function<Status()> run;
  // The task runs even after a failure has stopped the stream: other streams wait for its mark.
  bool always = false;
};

class Stream {
 public:
  Stream(const Context *context, std::shared_ptr<Device> device, uint32_t priority, uint32_t flags);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // Appends a task, or gives it to the graph that is being captured. The thread starts with the first task.
  ACL_FUNC_VISIBILITY void Push(Task task);
  // Waits for the tasks queued so far, with a negative timeout for ever. Returns the failure of the stream
  // and clears it.
  Status Synchronize(int32_t timeout_ms);
  bool Idle() const;
  // Removes the queued tasks and ends the thread after the task that runs.
  void Close(bool drop_queued);
  void DropQueued();

  bool OnOwnThread() const;
  void SetStopOnFailure(bool stop);
  // The failure that the next Synchronize reports.
  Status Failure() const;

  std::shared_ptr<Graph> Capture() const;
  void SetCapture(std::shared_ptr<Graph> graph);

  const Context *context() const { return context_; }
  const std::shared_ptr<Device> &device() const { return device_; }
  int32_t id() const { return id_; }
  uint32_t priority() const { return priority_; }
  uint32_t flags() const { return flags_; }

 private:
  void Loop();

  const Context *const context_;
  const std::shared_ptr<Device> device_;
  const int32_t id_;
  const uint32_t priority_;
  const uint32_t flags_;

  mutable std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable done_;
  std::deque<Task> tasks_;
  uint64_t pushed_ = 0;
  uint64_t finished_ = 0;
  bool closing_ = false;
  bool stop_on_failure_ = false;
  Status failure_;
  std::shared_ptr<Graph> capture_;
  std::thread thread_;
};

Registry<Stream> &Streams();

// Finds the stream of a handle; nullptr stands for the default stream of the current context. For a wrong
// handle it reports that, sets *code and returns nullptr. `call` is the ACL function, for the message.
std::shared_ptr<Stream> FindStream(const char *call, aclrtStream handle, aclError *code);

// As FindStream; the stream must also belong to the current context. Calls that queue or wait require that.
ACL_FUNC_VISIBILITY std::shared_ptr<Stream> UseStream(const char *call, aclrtStream handle, aclError *code);

}  // namespace sim::runtime
