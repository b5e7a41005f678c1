// SPDX-License-Identifier: Apache-2.0
#include "device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "byte_map.h"

namespace sim {
namespace {

constexpr uint64_t kGuardBytes = 512;  // never part of an allocation: an overrun of one byte is seen
constexpr uint64_t kPageBytes = DeviceMemory::kPage;
// The address space is this many times the memory. What is beyond the memory is for reservations, each of
// which may be larger than the memory: torch_npu reserves 9/8 of it for each stream and size class.
constexpr uint64_t kSpaces = 32;
// Where the addresses of the process are limited, an arena has fewer, but not fewer than these.
constexpr uint64_t kLeastSpan = uint64_t{64} << 20;
// Poison takes memory of the host, page by page. Beyond this many bytes an allocation is not poisoned and
// reads as zero; otherwise a program that takes most of the device's memory would take as much of the host's.
// These bytes count as unwritten all the same.
constexpr uint64_t kPoisonedBytes = uint64_t{256} << 20;

// The most bytes of freed memory whose pages the host keeps. Giving back 16 MB, which workspaces of CANN have
// at least, and taking them again costs the host 15 ms; filling pages that it has kept costs .5 ms.
constexpr uint64_t kKeptBytes = uint64_t{32} << 20;

// Programs whose own check compares bytes that nobody wrote expect zeros there (AVO_SIM_ZERO).
int FreshByte() {
  const char *text = std::getenv("AVO_SIM_ZERO");
  return text != nullptr && std::string(text) == "1" ? 0 : kPoison;
}

uint64_t AlignUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

[[noreturn]] void ThrowErrno(const char *what) {
  throw std::runtime_error(std::string("device memory: ") + what + ": " + std::strerror(errno));
}

// Reserves addresses without memory; returns nullptr where the process may not have so many.
std::byte *ReserveOrNull(uint64_t bytes, void *place = nullptr) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place == nullptr ? 0 : MAP_FIXED);
  void *memory = mmap(place, bytes, PROT_NONE, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte *>(memory);
}

std::byte *ReserveOrThrow(uint64_t bytes, void *place = nullptr) {
  std::byte *memory = ReserveOrNull(bytes, place);
  if (memory == nullptr) ThrowErrno("mmap");
  return memory;
}

// An arena of `span` bytes takes these addresses: it is visible and readable at two places, and has a map of
// written bytes.
uint64_t AddressesOf(uint64_t span) { return 2 * span + span / 8; }

// Returns how many bytes of addresses an arena may have: `span`, or where a limit (ulimit -v, valgrind) does
// not allow them so much less that the rest of the program has as many again.
uint64_t SpanWithinLimit(uint64_t span) {
  for (uint64_t tried = span; tried == span || tried >= 2 * kLeastSpan; tried /= 2) {
    std::byte *memory = ReserveOrNull(AddressesOf(tried));
    if (memory == nullptr) continue;
    munmap(memory, AddressesOf(tried));
    return tried == span ? span : tried / 2;
  }
  ThrowErrno("mmap");
}

}  // namespace

// Offsets below `capacity` are memory, in the order of the file that holds it. Offsets above are addresses
// that `Reserve` hands out and into which `Map` puts pages of the file.
struct DeviceMemory::Arena {
  uint64_t capacity = 0;
  uint64_t span = 0;
  int fd = -1;
  std::byte *visible = nullptr;  // PROT_NONE: the addresses programs see
  std::byte *host = nullptr;     // readable alias of the same pages
  uint64_t *written = nullptr;   // one bit a byte

  struct Mapping {
    uint64_t bytes = 0;
    uint64_t physical = 0;
  };
  struct Physical {
    uint64_t bytes = 0;
    bool mapped = false;
  };

  mutable std::shared_mutex mutex;
  std::map<uint64_t, uint64_t> allocations;  // offset -> bytes; neighbouring mappings are one
  std::map<uint64_t, uint64_t> paddings;     // offset of an allocation -> bytes, in the guard behind it
  std::map<uint64_t, uint64_t> free;         // offset -> bytes, never adjacent
  std::map<uint64_t, uint64_t> reserved;     // offset -> bytes
  std::map<uint64_t, Mapping> mappings;      // by offset
  std::map<uint64_t, Physical> physicals;    // by offset of their memory
  uint64_t used = 0;
  uint64_t physical_bytes = 0;
  uint64_t kept_begin = 0, kept_end = 0;  // freed memory, in whole pages that the host keeps

  // Gives whole pages back to the host. They read as zero then.
  void GiveBack(uint64_t begin, uint64_t end) {
    if (begin < end) madvise(host + begin, end - begin, MADV_REMOVE);
  }

  // Of two ranges of freed pages, these and the kept ones, keeps the larger one and gives the other one back.
  void Keep(uint64_t begin, uint64_t end) {
    if (begin < end && end - begin <= kKeptBytes && end - begin > kept_end - kept_begin) {
      std::swap(begin, kept_begin);
      std::swap(end, kept_end);
    }
    GiveBack(begin, end);
  }

  // Frees the bytes of an allocation. Those on pages that it shares with others become zero at once.
  void Forget(uint64_t begin, uint64_t end, uint64_t padding) {
    const uint64_t first_page = std::min(AlignUp(begin, kPageBytes), end);
    const uint64_t last_page = std::max(end / kPageBytes * kPageBytes, first_page);
    std::memset(host + begin, 0, first_page - begin);
    std::memset(host + last_page, 0, end + padding - last_page);
    Keep(first_page, last_page);
  }

  // Hands kept pages to an allocation. with_bytes: it may see what they hold.
  void TakeKept(uint64_t begin, uint64_t end, bool with_bytes) {
    begin = begin / kPageBytes * kPageBytes;
    end = AlignUp(end, kPageBytes);
    if (end <= kept_begin || kept_end <= begin) return;
    const uint64_t first = std::exchange(kept_begin, 0), last = std::exchange(kept_end, 0);
    if (!with_bytes) GiveBack(std::max(begin, first), std::min(end, last));
    Keep(first, begin);
    Keep(end, last);
  }

  uint64_t OffsetOf(const void *device) const {
    return static_cast<uint64_t>(static_cast<const std::byte *>(device) - visible);
  }

  // Maps pages of the file at the host address of an offset.
  void Show(uint64_t offset, uint64_t bytes, uint64_t physical) {
    void *place = mmap(host + offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                       fd, static_cast<off_t>(physical));
    if (place == MAP_FAILED) ThrowErrno("mmap");
    // These are whole pages of bits, so that bits of neighbours do not change.
    const uint64_t first = offset / 8 / kPageBytes * kPageBytes;
    const uint64_t last = AlignUp((offset + bytes) / 8, kPageBytes);
    if (mprotect(reinterpret_cast<std::byte *>(written) + first, last - first, PROT_READ | PROT_WRITE) != 0)
      ThrowErrno("mprotect");
  }

  // Copies the bits of the bytes at one offset to those at another. Both offsets are multiples of a page.
  void MoveMarks(uint64_t from, uint64_t to, uint64_t bytes) {
    std::memcpy(written + to / 64, written + from / 64, bytes / 8);
    Mark(from, bytes, false);
  }

  // Marks the bytes [first, first + bytes) as written, or as not written.
  void Mark(uint64_t first, uint64_t bytes, bool set) {
    const uint64_t last = first + bytes - 1;
    const uint64_t head = ~uint64_t{0} << (first % 64);
    const uint64_t tail = ~uint64_t{0} >> (63 - last % 64);
    // The first and the last word may also belong to a range that another thread marks.
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
    // Pages that hold zeros alone are given back to the host.
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
  arena.span = SpanWithinLimit(arena.capacity * kSpaces);
  // Half of the addresses stay for reservations.
  arena.capacity = std::min(arena.capacity, arena.span / 2);
  arena.fd = memfd_create("ascend-device-memory", MFD_CLOEXEC);
  if (arena.fd < 0) ThrowErrno("memfd_create");
  if (ftruncate(arena.fd, static_cast<off_t>(arena.capacity)) != 0) ThrowErrno("ftruncate");
  arena.visible = ReserveOrThrow(arena.span);
  arena.host = ReserveOrThrow(arena.span);
  arena.written = reinterpret_cast<uint64_t *>(ReserveOrThrow(arena.span / 8));
  arena.Show(0, arena.capacity, 0);
  arena.free[0] = arena.capacity;
}

DeviceMemory::~DeviceMemory() {
  munmap(arena_->visible, arena_->span);
  munmap(arena_->host, arena_->span);
  munmap(arena_->written, arena_->span / 8);
  close(arena_->fd);
}

void *DeviceMemory::Allocate(uint64_t bytes, uint64_t alignment, uint64_t padding) {
  return Take(bytes, alignment, kPoisonedBytes, padding);
}

void *DeviceMemory::Take(uint64_t bytes, uint64_t alignment, uint64_t poisoned, uint64_t padding) {
  Arena &arena = *arena_;
  alignment = std::max<uint64_t>(alignment, 1);
  std::unique_lock lock(arena.mutex);
  for (auto range = arena.free.begin(); range != arena.free.end(); ++range) {
    const uint64_t begin = range->first;
    const uint64_t end = begin + range->second;
    // There is a guard before and after an allocation, so that neighbours never touch.
    const uint64_t start = AlignUp(begin + kGuardBytes, alignment);
    if (start + kGuardBytes > end || bytes > end - start - kGuardBytes) continue;
    const uint64_t stop = start + std::max<uint64_t>(bytes, 1);
    // Entries are made before anything changes, because the host may have no memory for them.
    std::map<uint64_t, uint64_t> entry{{start, stop - start}}, behind{{stop, end - stop}};
    std::map<uint64_t, uint64_t> padded{{start, padding}};
    range->second = start - begin;
    if (end > stop) arena.free.merge(behind);
    arena.allocations.merge(entry);
    if (padding != 0) arena.paddings.merge(padded);
    arena.used += stop - start;
    arena.TakeKept(start, stop + padding, bytes <= poisoned);
    lock.unlock();
    std::memset(arena.host + start, FreshByte(), std::min(bytes, poisoned));
    std::memset(arena.host + stop, FreshByte(), padding);
    void *device = arena.visible + start;
    MarkUnwritten(device, bytes);
    MarkUnwritten(arena.visible + stop, padding);
    return device;
  }
  return nullptr;
}

bool DeviceMemory::Free(void *device) {
  Arena &arena = *arena_;
  if (!Contains(device)) return false;
  std::unique_lock lock(arena.mutex);
  const auto allocation = arena.allocations.find(arena.OffsetOf(device));
  if (allocation == arena.allocations.end() || allocation->first >= arena.capacity) return false;
  uint64_t begin = allocation->first;
  uint64_t end = begin + allocation->second;
  arena.used -= allocation->second;
  // Becomes the entry of the free range. A new one might find no memory.
  auto entry = arena.allocations.extract(allocation);
  const auto padding = arena.paddings.extract(begin);
  arena.Forget(begin, end, padding.empty() ? 0 : padding.mapped());

  const auto next = arena.free.lower_bound(begin);
  if (next != arena.free.end() && next->first == end) end += next->second;
  if (next != arena.free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) begin = previous->first;
  }
  arena.free.erase(arena.free.lower_bound(begin), arena.free.lower_bound(end));
  entry.key() = begin;
  entry.mapped() = end - begin;
  arena.free.insert(std::move(entry));
  return true;
}

void *DeviceMemory::Reserve(uint64_t bytes, uint64_t alignment) {
  Arena &arena = *arena_;
  bytes = AlignUp(std::max<uint64_t>(bytes, 1), kPage);
  alignment = std::max(alignment, kPage);
  std::unique_lock lock(arena.mutex);
  // Finds the first gap that is large enough. It keeps a page away from its neighbours, as mappings that
  // touch would count as one.
  uint64_t begin = AlignUp(arena.capacity + kPage, alignment);
  for (const auto &range : arena.reserved) {
    if (begin + bytes + kPage <= range.first) break;
    begin = AlignUp(range.first + range.second + kPage, alignment);
  }
  if (begin > arena.span || bytes > arena.span - begin) return nullptr;
  arena.reserved[begin] = bytes;
  return arena.visible + begin;
}

std::string DeviceMemory::Release(void *address) {
  Arena &arena = *arena_;
  std::unique_lock lock(arena.mutex);
  const auto range = arena.reserved.find(arena.OffsetOf(address));
  if (range == arena.reserved.end()) return "is not the start of reserved addresses (released already?)";
  const auto mapping = arena.mappings.lower_bound(range->first);
  if (mapping != arena.mappings.end() && mapping->first < range->first + range->second)
    return "still has memory mapped into it; unmap that first";
  arena.reserved.erase(range);
  return "";
}

bool DeviceMemory::AllocatePhysical(uint64_t bytes, uint64_t *physical) {
  Arena &arena = *arena_;
  // An allocation of several pieces is poisoned up to the same limit as any other.
  uint64_t pieces = 0;
  {
    std::shared_lock lock(arena.mutex);
    pieces = arena.physical_bytes;
  }
  void *memory = Take(bytes, kPage, kPoisonedBytes - std::min(pieces, kPoisonedBytes));
  if (memory == nullptr) return false;
  *physical = arena.OffsetOf(memory);
  // The memory has no address until it is mapped.
  std::unique_lock lock(arena.mutex);
  arena.physical_bytes += bytes;
  arena.allocations.erase(*physical);
  arena.physicals[*physical] = {bytes, false};
  return true;
}

std::string DeviceMemory::FreePhysical(uint64_t physical) {
  Arena &arena = *arena_;
  {
    std::unique_lock lock(arena.mutex);
    const auto found = arena.physicals.find(physical);
    if (found == arena.physicals.end()) return "is no physical memory (freed already?)";
    if (found->second.mapped) return "is still mapped; unmap it first";
    arena.physical_bytes -= found->second.bytes;
    arena.allocations[physical] = found->second.bytes;
    arena.physicals.erase(found);
  }
  Free(arena.visible + physical);
  return "";
}

std::string DeviceMemory::Map(void *address, uint64_t bytes, uint64_t physical) {
  Arena &arena = *arena_;
  const uint64_t offset = arena.OffsetOf(address);
  std::unique_lock lock(arena.mutex);
  const auto memory = arena.physicals.find(physical);
  if (memory == arena.physicals.end()) return "handle is no physical memory (freed already?)";
  if (memory->second.mapped) return "handle is mapped already; unmap it first";
  if (bytes != memory->second.bytes)
    return "size must be that of the physical memory, " + std::to_string(memory->second.bytes) + ", got " +
           std::to_string(bytes);
  if (offset % kPage != 0) return "virPtr must be a multiple of " + std::to_string(kPage);
  auto range = arena.reserved.upper_bound(offset);
  if (range == arena.reserved.begin() || offset + bytes > std::prev(range)->first + std::prev(range)->second)
    return "virPtr must lie in reserved addresses, with size bytes left there";
  auto next = arena.allocations.lower_bound(offset);
  if (next != arena.allocations.end() && next->first < offset + bytes)
    return "virPtr has memory mapped within size bytes already";
  if (next != arena.allocations.begin() && std::prev(next)->first + std::prev(next)->second > offset)
    return "virPtr has memory mapped already";
  arena.Show(offset, bytes, physical);
  arena.MoveMarks(physical, offset, bytes);
  memory->second.mapped = true;
  arena.mappings[offset] = {bytes, physical};
  // Neighbours become one allocation.
  uint64_t begin = offset, end = offset + bytes;
  if (next != arena.allocations.end() && next->first == end) {
    end += next->second;
    next = arena.allocations.erase(next);
  }
  if (next != arena.allocations.begin() && std::prev(next)->first + std::prev(next)->second == begin)
    begin = std::prev(next)->first;
  arena.allocations[begin] = end - begin;
  return "";
}

std::string DeviceMemory::Unmap(void *address) {
  Arena &arena = *arena_;
  std::unique_lock lock(arena.mutex);
  const auto mapping = arena.mappings.find(arena.OffsetOf(address));
  if (mapping == arena.mappings.end()) return "is not the start of mapped memory (unmapped already?)";
  const uint64_t offset = mapping->first;
  const auto [bytes, physical] = mapping->second;
  arena.mappings.erase(mapping);
  arena.MoveMarks(offset, physical, bytes);
  ReserveOrThrow(bytes, arena.host + offset);
  arena.physicals[physical].mapped = false;
  // What lies before and after it stays an allocation.
  const auto joined = std::prev(arena.allocations.upper_bound(offset));
  const uint64_t begin = joined->first, end = begin + joined->second;
  arena.allocations.erase(joined);
  if (begin < offset) arena.allocations[begin] = offset - begin;
  if (offset + bytes < end) arena.allocations[offset + bytes] = end - offset - bytes;
  return "";
}

uint64_t DeviceMemory::capacity() const { return arena_->capacity; }

uint64_t DeviceMemory::used() const {
  std::shared_lock lock(arena_->mutex);
  return arena_->used;
}

bool DeviceMemory::Find(const void *device, uint64_t bytes, void **start, uint64_t *size) const {
  void *found = nullptr;
  uint64_t padding = 0;
  if (!FindPadded(device, 1, &found, size, &padding)) return false;
  const auto inside = static_cast<uint64_t>(static_cast<const char *>(device) - static_cast<char *>(found));
  if (inside >= *size) return false;
  *start = found;
  return bytes <= *size - inside;
}

bool DeviceMemory::FindPadded(const void *device, uint64_t bytes, void **start, uint64_t *size,
                              uint64_t *padding) const {
  const Arena &arena = *arena_;
  if (!Contains(device)) return false;
  const uint64_t offset = arena.OffsetOf(device);
  std::shared_lock lock(arena.mutex);
  auto allocation = arena.allocations.upper_bound(offset);
  if (allocation == arena.allocations.begin()) return false;
  --allocation;
  const uint64_t inside = offset - allocation->first;
  const auto behind = arena.paddings.find(allocation->first);
  *padding = behind == arena.paddings.end() ? 0 : behind->second;
  if (inside >= allocation->second + *padding) return false;
  *start = arena.visible + allocation->first;
  *size = allocation->second;
  return bytes <= allocation->second + *padding - inside;
}

bool DeviceMemory::Contains(const void *device) const {
  const auto *address = static_cast<const std::byte *>(device);
  return address >= arena_->visible && address < arena_->visible + arena_->span;
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
