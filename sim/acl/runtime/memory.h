// SPDX-License-Identifier: Apache-2.0
// Finds out where an address lies, and whether a range of bytes may be accessed there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device.h"
#include "error.h"

namespace sim::runtime {

enum class Side : uint8_t { kHost, kDevice, kEither };

// A checked range of memory; `bytes` points to what the host may read and write.
struct Range {
  void *address = nullptr;
  size_t size = 0;
  std::shared_ptr<Device> device;  // nullptr: host memory
  bool pinned = false;             // host memory from aclrtMallocHost or aclrtHostRegister

  std::byte *bytes() const;
  // Says whether a range of device memory still lies in an allocation.
  bool Alive() const;
};

// Checks that [address, address + size) is memory of the host or of a device, as the caller says, and on a
// device inside one allocation. `parameter` names it in the message: "dst", "workspace".
ACL_FUNC_VISIBILITY Status CheckRange(const char *parameter, const void *address, size_t size, Side side,
                                      Range *range);

// Page-locked host memory.
struct PinnedMemory {
  static void *Allocate(size_t size);
  static bool Free(void *address);
  static void Register(void *address, size_t size);
  static bool Unregister(void *address);
  static bool Contains(const void *address);
};

}  // namespace sim::runtime
