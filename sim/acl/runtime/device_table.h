// SPDX-License-Identifier: Apache-2.0
// Which devices are open, how often each was set, and their default contexts.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "context.h"

namespace sim::runtime {

class DeviceTable {
 public:
  static DeviceTable &Get();

  // Returns the device and opens it first where it is not open. On an error it reports that, sets *code and
  // returns nullptr.
  std::shared_ptr<Device> Open(const char *call, int32_t id, aclError *code);
  // Opens the device, and counts one more user of its default context.
  std::shared_ptr<Context> Set(const char *call, int32_t id, aclError *code);
  // Counts one user less. After the last one, or with `force`, it closes the device with all that belongs to
  // it.
  aclError Reset(const char *call, int32_t id, bool force);
  void CloseAll();

  bool IsPrimary(const std::shared_ptr<Context> &context);
  bool IsSet(int32_t id);
  std::shared_ptr<Device> Find(int32_t id);
  std::shared_ptr<Device> Find(const void *address);

 private:
  struct Entry {
    std::shared_ptr<Device> device;
    std::shared_ptr<Context> primary;
    uint32_t users = 0;
  };

  std::shared_ptr<Device> OpenLocked(const char *call, int32_t id, aclError *code);
  static void Close(Entry entry);

  std::mutex mutex_;
  std::map<int32_t, Entry> entries_;
};

// An error in a process that was forked off one that had opened a device.
Status ForkStatus();
// Reports that error of a call; otherwise returns ACL_SUCCESS.
aclError RefuseFork(const char *call);

// Reports a device id outside the simulated ones.
aclError CheckDeviceId(const char *call, const char *parameter, int64_t id);

}  // namespace sim::runtime
