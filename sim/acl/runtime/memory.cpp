// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "device_table.h"

namespace sim::runtime {
namespace {

constexpr size_t kPageSize = 4096;

struct PinnedBlock {
  size_t size = 0;
  bool owned = false;  // from aclrtMallocHost, not registered
};

struct PinnedMap {
  std::mutex mutex;
  std::map<uintptr_t, PinnedBlock> blocks;  // by start address

  static PinnedMap &Get() {
    static auto *map = new PinnedMap;  // never destroyed: threads may outlive main
    return *map;
  }
};

bool TakePinned(void *address, bool owned) {
  PinnedMap &map = PinnedMap::Get();
  std::lock_guard<std::mutex> lock(map.mutex);
  const auto found = map.blocks.find(reinterpret_cast<uintptr_t>(address));
  if (found == map.blocks.end() || found->second.owned != owned) return false;
  map.blocks.erase(found);
  return true;
}

}  // namespace

std::byte *Range::bytes() const {
  return device == nullptr ? static_cast<std::byte *>(address) : device->memory().Host(address);
}

bool Range::Alive() const {
  void *start = nullptr;
  uint64_t allocated = 0;
  return device == nullptr || device->memory().Find(address, size, &start, &allocated);
}

Status CheckRange(const char *parameter, const void *address, size_t size, Side side, Range *range) {
  range->address = const_cast<void *>(address);
  range->size = size;
  range->device = DeviceOf(address);
  if (range->device == nullptr) {
    if (side == Side::kDevice) {
      return {ACL_ERROR_RT_PARAM_INVALID,
              Text(parameter, " must be device memory, got host address ", address)};
    }
    range->pinned = PinnedMemory::Contains(address);
    return {};
  }
  if (Status forked = ForkStatus(); !forked.ok()) return forked;
  if (side == Side::kHost) {
    return {ACL_ERROR_RT_PARAM_INVALID, Text(parameter, " must be host memory, got address ", address,
                                             " of device ", range->device->id())};
  }
  if (range->Alive()) return {};
  void *start = nullptr;
  uint64_t allocated = 0;
  if (!range->device->memory().Find(address, 1, &start, &allocated)) {
    return {ACL_ERROR_RT_PARAM_INVALID, Text(parameter, " ", address, " lies in no allocation of device ",
                                             range->device->id(), " (freed already?)")};
  }
  const auto offset = static_cast<const char *>(address) - static_cast<char *>(start);
  return {ACL_ERROR_RT_PARAM_INVALID,
          Text(parameter, " needs ", size, " bytes, but the allocation of ", allocated, " bytes has ",
               allocated - offset, " left from offset ", offset)};
}

void *PinnedMemory::Allocate(size_t size) {
  if (size > SIZE_MAX - kPageSize) return nullptr;
  void *address = std::aligned_alloc(kPageSize, (size + kPageSize - 1) / kPageSize * kPageSize);
  if (address == nullptr) return nullptr;
  std::memset(address, kPoison, size);
  PinnedMap &map = PinnedMap::Get();
  std::lock_guard<std::mutex> lock(map.mutex);
  map.blocks[reinterpret_cast<uintptr_t>(address)] = {size, true};
  return address;
}

bool PinnedMemory::Free(void *address) {
  if (!TakePinned(address, true)) return false;
  std::free(address);
  return true;
}

void PinnedMemory::Register(void *address, size_t size) {
  PinnedMap &map = PinnedMap::Get();
  std::lock_guard<std::mutex> lock(map.mutex);
  map.blocks[reinterpret_cast<uintptr_t>(address)] = {size, false};
}

bool PinnedMemory::Unregister(void *address) { return TakePinned(address, false); }

bool PinnedMemory::Contains(const void *address) {
  PinnedMap &map = PinnedMap::Get();
  std::lock_guard<std::mutex> lock(map.mutex);
  const auto key = reinterpret_cast<uintptr_t>(address);
  auto next = map.blocks.upper_bound(key);
  if (next == map.blocks.begin()) return false;
  --next;
  return key - next->first < next->second.size;
}

}  // namespace sim::runtime
