// SPDX-License-Identifier: Apache-2.0
// The HBM of a simulated device. It is guarded: programs see addresses that the host may not touch
// (PROT_NONE). Fresh memory is poisoned: the first 256 MiB of an allocation, and of all physical memory. The
// map of written bytes tells which bytes anything wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sim {

constexpr uint8_t kPoison = 0xA5;

class DeviceMemory {
 public:
  // Has `capacity` bytes, or fewer where the process may not have enough addresses (ulimit -v, valgrind).
  // Throws std::runtime_error where there are not enough for any.
  explicit DeviceMemory(uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  // Returns nullptr when it does not fit. `padding`: up to 64 bytes behind the allocation that kernels may
  // touch too; the host may not, and nothing says that they hold anything.
  void *Allocate(uint64_t bytes, uint64_t alignment = 512, uint64_t padding = 0);
  bool Free(void *device);  // false when it is no allocation's start
  uint64_t capacity() const;
  uint64_t used() const;

  // Virtual memory: a program reserves a range of addresses and maps physical memory into it. Physical memory
  // keeps its bytes when it is unmapped and mapped elsewhere. To `Find`, neighbouring mappings are one
  // allocation. Sizes and addresses are multiples of kPage. Each function returns what is wrong, or an empty
  // text.
  static constexpr uint64_t kPage = 4096;
  void *Reserve(uint64_t bytes, uint64_t alignment);  // nullptr when no range of addresses is left
  std::string Release(void *address);
  bool AllocatePhysical(uint64_t bytes, uint64_t *physical);  // false when it does not fit
  std::string FreePhysical(uint64_t physical);
  std::string Map(void *address, uint64_t bytes, uint64_t physical);
  std::string Unmap(void *address);

  // Finds the allocation that holds [device, device + bytes), its start and size. Returns false where there
  // is none.
  bool Find(const void *device, uint64_t bytes, void **start, uint64_t *size) const;
  // The same for a kernel: the padding belongs to the allocation, and `padding` gets its bytes.
  bool FindPadded(const void *device, uint64_t bytes, void **start, uint64_t *size, uint64_t *padding) const;
  bool Contains(const void *device) const;  // whether the address lies in this arena at all

  // Returns the host address at which the bytes of a device address can be read and written.
  std::byte *Host(const void *device) const;

  // The map of written bytes, which the judge of uninitialised reads looks at. Several threads may use it at
  // a time, for ranges that do not overlap.
  void MarkWritten(const void *device, uint64_t bytes);
  void MarkUnwritten(const void *device, uint64_t bytes);
  // Returns the offset from `device` of the first byte that nothing wrote, or `bytes` where all are written.
  uint64_t FirstUnwritten(const void *device, uint64_t bytes) const;
  uint64_t FirstWritten(const void *device, uint64_t bytes) const;  // the same of written ones

 private:
  void *Take(uint64_t bytes, uint64_t alignment, uint64_t poisoned, uint64_t padding = 0);

  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace sim
