// SPDX-License-Identifier: Apache-2.0
#include "device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "byte_map.h"

namespace sim {
namespace {

constexpr uint64_t kGuardBytes = 512;  // never part of an allocation: an overrun of one byte is seen
constexpr uint64_t kPageBytes = 4096;
// Poison touches every page. What an allocation has beyond this much stays untouched and reads zero: a
// program that takes most of the device's memory would take as much of the host's. Its bytes still count as
// unwritten.
constexpr uint64_t kPoisonedBytes = uint64_t{256} << 20;

uint64_t AlignUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

[[noreturn]] void ThrowErrno(const char *what) {
  throw std::runtime_error(std::string("device memory: ") + what + ": " + std::strerror(errno));
}

void *MapOrThrow(uint64_t bytes, int protection, int flags, int fd) {
  void *memory = mmap(nullptr, bytes, protection, flags | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) ThrowErrno("mmap");
  return memory;
}

}  // namespace

struct DeviceMemory::Arena {
  uint64_t capacity = 0;
  int fd = -1;
  std::byte *visible = nullptr;  // PROT_NONE: the addresses programs see
  std::byte *host = nullptr;     // readable alias of the same pages
  uint64_t *written = nullptr;   // one bit a byte

  mutable std::shared_mutex mutex;
  std::map<uint64_t, uint64_t> allocations;  // offset -> bytes
  std::map<uint64_t, uint64_t> free;         // offset -> bytes, never adjacent
  uint64_t used = 0;

  uint64_t OffsetOf(const void *device) const {
    return static_cast<uint64_t>(static_cast<const std::byte *>(device) - visible);
  }

  // Says of the bytes [first, first + bytes) that they are written, or that they are not.
  void Mark(uint64_t first, uint64_t bytes, bool set) {
    const uint64_t last = first + bytes - 1;
    const uint64_t head = ~uint64_t{0} << (first % 64);
    const uint64_t tail = ~uint64_t{0} >> (63 - last % 64);
    // Words at the ends may be shared with a neighbouring range of another thread.
    const auto change = [set](uint64_t *word, uint64_t bits) {
      if (set) {
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
      } else {
        __atomic_fetch_and(word, ~bits, __ATOMIC_RELAXED);
      }
    };
    uint64_t *begin = written + first / 64;
    uint64_t *end = written + last / 64;
    if (begin == end) {
      change(begin, head & tail);
      return;
    }
    change(begin++, head);
    change(end, tail);
    constexpr uint64_t kPageWords = kPageBytes / sizeof(uint64_t);
    uint64_t *first_page = written + AlignUp(static_cast<uint64_t>(begin - written), kPageWords);
    uint64_t *last_page = written + static_cast<uint64_t>(end - written) / kPageWords * kPageWords;
    // Whole pages of zeros go back to the host.
    if (!set && first_page < last_page &&
        madvise(first_page, static_cast<size_t>(last_page - first_page) * sizeof(uint64_t), MADV_DONTNEED) ==
            0) {
      std::fill(begin, first_page, uint64_t{0});
      begin = last_page;
    }
    std::fill(begin, end, set ? ~uint64_t{0} : uint64_t{0});
  }
};

DeviceMemory::DeviceMemory(uint64_t capacity) : arena_(std::make_unique<Arena>()) {
  Arena &arena = *arena_;
  arena.capacity = AlignUp(capacity, kPageBytes);
  arena.fd = memfd_create("ascend-device-memory", MFD_CLOEXEC);
  if (arena.fd < 0) ThrowErrno("memfd_create");
  if (ftruncate(arena.fd, static_cast<off_t>(arena.capacity)) != 0) ThrowErrno("ftruncate");
  arena.visible = static_cast<std::byte *>(MapOrThrow(arena.capacity, PROT_NONE, MAP_SHARED, arena.fd));
  arena.host =
      static_cast<std::byte *>(MapOrThrow(arena.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, arena.fd));
  arena.written = static_cast<uint64_t *>(
      MapOrThrow(arena.capacity / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  arena.free[0] = arena.capacity;
}

DeviceMemory::~DeviceMemory() {
  munmap(arena_->visible, arena_->capacity);
  munmap(arena_->host, arena_->capacity);
  munmap(arena_->written, arena_->capacity / 8);
  close(arena_->fd);
}

void *DeviceMemory::Allocate(uint64_t bytes, uint64_t alignment) {
  Arena &arena = *arena_;
  alignment = std::max<uint64_t>(alignment, 1);
  std::unique_lock lock(arena.mutex);
  for (auto range = arena.free.begin(); range != arena.free.end(); ++range) {
    const uint64_t begin = range->first;
    const uint64_t end = begin + range->second;
    // A guard before and after, so that neighbours never touch.
    const uint64_t start = AlignUp(begin + kGuardBytes, alignment);
    if (start + kGuardBytes > end || bytes > end - start - kGuardBytes) continue;
    arena.free.erase(range);
    if (start > begin) arena.free[begin] = start - begin;
    const uint64_t stop = start + std::max<uint64_t>(bytes, 1);
    if (end > stop) arena.free[stop] = end - stop;
    arena.allocations[start] = stop - start;
    arena.used += stop - start;
    lock.unlock();
    std::memset(arena.host + start, kPoison, std::min(bytes, kPoisonedBytes));
    void *device = arena.visible + start;
    MarkUnwritten(device, bytes);
    return device;
  }
  return nullptr;
}

bool DeviceMemory::Free(void *device) {
  Arena &arena = *arena_;
  if (!Contains(device)) return false;
  std::unique_lock lock(arena.mutex);
  const auto allocation = arena.allocations.find(arena.OffsetOf(device));
  if (allocation == arena.allocations.end()) return false;
  uint64_t begin = allocation->first;
  uint64_t end = begin + allocation->second;
  arena.used -= allocation->second;
  arena.allocations.erase(allocation);

  // Whole pages go back to the host.
  const uint64_t first_page = AlignUp(begin, kPageBytes);
  const uint64_t last_page = end / kPageBytes * kPageBytes;
  if (last_page > first_page) madvise(arena.host + first_page, last_page - first_page, MADV_REMOVE);

  const auto next = arena.free.lower_bound(begin);
  if (next != arena.free.end() && next->first == end) end += next->second;
  if (next != arena.free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) begin = previous->first;
  }
  arena.free.erase(arena.free.lower_bound(begin), arena.free.lower_bound(end));
  arena.free[begin] = end - begin;
  return true;
}

uint64_t DeviceMemory::capacity() const { return arena_->capacity; }

uint64_t DeviceMemory::used() const {
  std::shared_lock lock(arena_->mutex);
  return arena_->used;
}

bool DeviceMemory::Find(const void *device, uint64_t bytes, void **start, uint64_t *size) const {
  const Arena &arena = *arena_;
  if (!Contains(device)) return false;
  const uint64_t offset = arena.OffsetOf(device);
  std::shared_lock lock(arena.mutex);
  auto allocation = arena.allocations.upper_bound(offset);
  if (allocation == arena.allocations.begin()) return false;
  --allocation;
  const uint64_t inside = offset - allocation->first;
  if (inside >= allocation->second) return false;
  *start = arena.visible + allocation->first;
  *size = allocation->second;
  return bytes <= allocation->second - inside;
}

bool DeviceMemory::Contains(const void *device) const {
  const auto *address = static_cast<const std::byte *>(device);
  return address >= arena_->visible && address < arena_->visible + arena_->capacity;
}

std::byte *DeviceMemory::Host(const void *device) const { return arena_->host + arena_->OffsetOf(device); }

void DeviceMemory::MarkWritten(const void *device, uint64_t bytes) {
  if (bytes != 0) arena_->Mark(arena_->OffsetOf(device), bytes, true);
}

void DeviceMemory::MarkUnwritten(const void *device, uint64_t bytes) {
  if (bytes != 0) arena_->Mark(arena_->OffsetOf(device), bytes, false);
}

uint64_t DeviceMemory::FirstUnwritten(const void *device, uint64_t bytes) const {
  return FirstBit(false, arena_->written, arena_->OffsetOf(device), bytes);
}

uint64_t DeviceMemory::FirstWritten(const void *device, uint64_t bytes) const {
  return FirstBit(true, arena_->written, arena_->OffsetOf(device), bytes);
}

}  // namespace sim
