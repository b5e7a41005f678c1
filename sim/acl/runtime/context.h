// SPDX-License-Identifier: Apache-2.0
// A context: one or more threads use a device through it. It has a default stream.
#pragma once

#include <memory>
#include <mutex>

#include "device.h"
#include "registry.h"
#include "stream.h"

namespace sim::runtime {

class Context {
 public:
  explicit Context(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  const std::shared_ptr<Device> &device() const { return device_; }
  // The stream is made at its first use.
  std::shared_ptr<Stream> DefaultStream();

 private:
  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::shared_ptr<Stream> default_stream_;
};

Registry<Context> &Contexts();

// Returns the context of the calling thread. Where there is none it reports that, sets *code and returns
// nullptr.
ACL_FUNC_VISIBILITY std::shared_ptr<Context> CurrentContext(const char *call, aclError *code);
// Returns the context of the calling thread, or nullptr.
std::shared_ptr<Context> CurrentContextOrNull();
void SetCurrentContext(std::shared_ptr<Context> context);

// Ends all streams of a context after their tasks, and removes the context.
void CloseContext(const std::shared_ptr<Context> &context);

}  // namespace sim::runtime
