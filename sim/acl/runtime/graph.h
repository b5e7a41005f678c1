// SPDX-License-Identifier: Apache-2.0
// A captured graph: the tasks that were queued while its streams were being captured. It runs them in that
// order.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "registry.h"
#include "stream.h"

namespace sim::runtime {

class Graph {
 public:
  // Starts a capture on `origin`; streams that wait for an event of the capture join it.
  static std::shared_ptr<Graph> Begin(const std::shared_ptr<Stream> &origin);
  static void Join(const std::shared_ptr<Graph> &graph, const std::shared_ptr<Stream> &stream);
  void End();

  // The order in which tasks arrive is one that the events between the streams allow.
  void Append(Task task);
  void Replay(Stream &stream) const;

  size_t Tasks() const;
  bool Capturing() const;
  bool StartedBy(const Stream &stream) const;

 private:
  mutable std::mutex mutex_;
  const Stream *origin_ = nullptr;
  bool capturing_ = true;
  std::vector<std::shared_ptr<Stream>> streams_;
  std::vector<Task> tasks_;
};

}  // namespace sim::runtime
