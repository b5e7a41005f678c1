// SPDX-License-Identifier: Apache-2.0
// A context: a device as one or more threads use it, with a default stream.
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
  // Made at its first use.
  std::shared_ptr<Stream> DefaultStream();

 private:
  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::shared_ptr<Stream> default_stream_;
};

Registry<Context> &Contexts();

// The calling thread's context. Without one reports the error, sets *code and returns nullptr.
ACL_FUNC_VISIBILITY std::shared_ptr<Context> CurrentContext(const char *call, aclError *code);
// The same without an error: nullptr when there is none.
std::shared_ptr<Context> CurrentContextOrNull();
void SetCurrentContext(std::shared_ptr<Context> context);

// Ends all streams of a context, after their tasks, and forgets it.
void CloseContext(const std::shared_ptr<Context> &context);

}  // namespace sim::runtime
