// SPDX-License-Identifier: Apache-2.0
// The HBM of a simulated device: guarded (programs see PROT_NONE addresses), poisoned (the first 256 MiB of
// an allocation, or of all physical memory), every written byte known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sim {

constexpr uint8_t kPoison = 0xA5;

class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *Allocate(uint64_t bytes, uint64_t alignment = 512);  // nullptr when it does not fit
  bool Free(void *device);                                   // false when it is no allocation's start
  uint64_t capacity() const;
  uint64_t used() const;

  // Addresses apart from memory: ranges of addresses are reserved, physical memory is mapped into them and
  // keeps its bytes wherever it is mapped next. Neighbouring mappings are one allocation to `Find`. Sizes and
  // addresses are multiples of kPage. Each returns what is wrong, empty when nothing is.
  static constexpr uint64_t kPage = 4096;
  void *Reserve(uint64_t bytes, uint64_t alignment);  // nullptr when no range of addresses is left
  std::string Release(void *address);
  bool AllocatePhysical(uint64_t bytes, uint64_t *physical);  // false when it does not fit
  std::string FreePhysical(uint64_t physical);
  std::string Map(void *address, uint64_t bytes, uint64_t physical);
  std::string Unmap(void *address);

  // The allocation that holds [device, device + bytes): its start and size; false when there is none.
  bool Find(const void *device, uint64_t bytes, void **start, uint64_t *size) const;
  bool Contains(const void *device) const;  // whether the address lies in this arena at all

  // Readable alias of a device address.
  std::byte *Host(const void *device) const;

  // The map of written bytes, behind the judge of uninitialised reads. Thread-safe on disjoint ranges.
  void MarkWritten(const void *device, uint64_t bytes);
  void MarkUnwritten(const void *device, uint64_t bytes);
  // Offset from `device` of the first byte nothing wrote, or `bytes` when all are written.
  uint64_t FirstUnwritten(const void *device, uint64_t bytes) const;
  uint64_t FirstWritten(const void *device, uint64_t bytes) const;  // the same of written ones

 private:
  void *Take(uint64_t bytes, uint64_t alignment, uint64_t poisoned);

  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace sim
