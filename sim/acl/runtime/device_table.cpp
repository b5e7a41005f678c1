// SPDX-License-Identifier: Apache-2.0
#include "device_table.h"

#include <pthread.h>

#include <atomic>
#include <stdexcept>

namespace sim::runtime {
namespace {

// A child of fork() has the objects of its parent, but none of the threads that run its streams, and perhaps
// locks that nobody will ever open.
struct Forks {
  std::atomic<bool> opened{false};     // this process has opened a device
  std::atomic<bool> inherited{false};  // a process that had one has forked this one off
};

Forks forks;

void WatchForks() {
  if (forks.opened.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, [] { forks.inherited = true; });
}

}  // namespace

Status ForkStatus() {
  if (!forks.inherited) return {};
  return {ACL_ERROR_RT_CONTEXT_NULL,
          "a process that uses a device has forked this one off, where the device does not work; start "
          "processes with the method spawn (multiprocessing.set_start_method), or before the first use"};
}

aclError RefuseFork(const char *call) { return ReturnStatus(call, ForkStatus()); }

DeviceTable &DeviceTable::Get() {
  static auto *table = new DeviceTable;  // never destroyed: threads may outlive main
  return *table;
}

aclError CheckDeviceId(const char *call, const char *parameter, int64_t id) {
  if (id >= 0 && id < DeviceCount()) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_INVALID_DEVICEID, call, ": ", parameter, " must be in [0, ", DeviceCount(),
              "), got ", id);
}

std::shared_ptr<Device> DeviceTable::OpenLocked(const char *call, int32_t id, aclError *code) {
  if ((*code = CheckDeviceId(call, "deviceId", id)) != ACL_SUCCESS) return nullptr;
  Entry &entry = entries_[id];
  if (entry.device == nullptr) {
    std::string error;
    const DeviceModel *model = FindModel(&error);
    if (model == nullptr) {
      *code = Fail(ACL_ERROR_RT_SOC_VERSION, call, ": ", error);
      return nullptr;
    }
    try {
      entry.device = std::make_shared<Device>(id, DeviceModel::Find(model->soc));
    } catch (const std::runtime_error &refused) {
      *code =
          Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, call, ": device ", id, " cannot be opened: ", refused.what());
      return nullptr;
    }
    WatchForks();
  }
  return entry.device;
}

std::shared_ptr<Device> DeviceTable::Open(const char *call, int32_t id, aclError *code) {
  if ((*code = RefuseFork(call)) != ACL_SUCCESS) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  return OpenLocked(call, id, code);
}

std::shared_ptr<Context> DeviceTable::Set(const char *call, int32_t id, aclError *code) {
  if ((*code = RefuseFork(call)) != ACL_SUCCESS) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const std::shared_ptr<Device> device = OpenLocked(call, id, code);
  if (device == nullptr) return nullptr;
  Entry &entry = entries_[id];
  if (entry.primary == nullptr) {
    entry.primary = std::make_shared<Context>(device);
    Contexts().Add(entry.primary);
  }
  ++entry.users;
  return entry.primary;
}

aclError DeviceTable::Reset(const char *call, int32_t id, bool force) {
  if (const aclError code = RefuseFork(call); code != ACL_SUCCESS) return code;
  if (const aclError code = CheckDeviceId(call, "deviceId", id); code != ACL_SUCCESS) return code;
  Entry closing;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.device == nullptr) return ACL_SUCCESS;
    Entry &entry = found->second;
    if (entry.users > 0) --entry.users;
    if (entry.users > 0 && !force) return ACL_SUCCESS;
    closing = std::move(entry);
    entries_.erase(found);
  }
  Close(std::move(closing));
  return ACL_SUCCESS;
}

// The lock of the table is not held here, as tasks that still run may look for devices.
void DeviceTable::Close(Entry entry) {
  for (const std::shared_ptr<Context> &context : Contexts().All()) {
    if (context->device() == entry.device) CloseContext(context);
  }
}

void DeviceTable::CloseAll() {
  if (forks.inherited) return;  // the threads of its streams are not in this process
  std::map<int32_t, Entry> closing;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing.swap(entries_);
  }
  for (auto &entry : closing) Close(std::move(entry.second));
}

bool DeviceTable::IsPrimary(const std::shared_ptr<Context> &context) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(context->device()->id());
  return found != entries_.end() && found->second.primary == context;
}

bool DeviceTable::IsSet(int32_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.users > 0;
}

std::shared_ptr<Device> DeviceTable::Find(int32_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.device;
}

std::shared_ptr<Device> DeviceTable::Find(const void *address) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &entry : entries_) {
    if (entry.second.device != nullptr && entry.second.device->memory().Contains(address))
      return entry.second.device;
  }
  return nullptr;
}

std::shared_ptr<Device> DeviceOf(const void *address) { return DeviceTable::Get().Find(address); }

std::shared_ptr<Device> OpenDevice(int32_t id) { return DeviceTable::Get().Find(id); }

}  // namespace sim::runtime

using namespace sim::runtime;

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = DeviceTable::Get().Set(__func__, deviceId, &code);
  if (context != nullptr) SetCurrentContext(context);
  return code;
}
SIM_CATCH

aclError aclrtResetDevice(int32_t deviceId) try {
  return DeviceTable::Get().Reset(__func__, deviceId, false);
}
SIM_CATCH

aclError aclrtResetDeviceForce(int32_t deviceId) try {
  return DeviceTable::Get().Reset(__func__, deviceId, true);
}
SIM_CATCH

aclError aclrtGetDevice(int32_t *deviceId) try {
  SIM_REQUIRE_POINTER(deviceId);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(__func__, &code);
  if (context != nullptr) *deviceId = context->device()->id();
  return code;
}
SIM_CATCH

aclError aclrtGetDeviceCount(uint32_t *count) try {
  SIM_REQUIRE_POINTER(count);
  *count = static_cast<uint32_t>(DeviceCount());
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active) try {
  if (const aclError code = CheckDeviceId(__func__, "deviceId", deviceId); code != ACL_SUCCESS) return code;
  if (flags != nullptr) *flags = 0;
  if (active != nullptr) *active = DeviceTable::Get().IsSet(deviceId) ? 1 : 0;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus) try {
  SIM_REQUIRE_POINTER(deviceStatus);
  if (const aclError code = CheckDeviceId(__func__, "deviceId", deviceId); code != ACL_SUCCESS) return code;
  *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
