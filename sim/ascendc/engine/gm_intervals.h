// SPDX-License-Identifier: Apache-2.0
// Accesses to GM in the order of their addresses, for the judges that compare all with all after a run.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "hazards.h"

namespace sim {

struct GmEntry {
  const GmAccess *access;
  uint32_t core;
};

// Accesses sorted by address. furthest_[i] is the largest end of the entries 0 to i.
class GmIntervals {
 public:
  void Add(const GmAccess &access, uint32_t core) { entries_.push_back({&access, core}); }

  void Sort() {
    std::sort(entries_.begin(), entries_.end(),
              [](const GmEntry &a, const GmEntry &b) { return a.access->address < b.access->address; });
    uint64_t furthest = 0;
    for (const GmEntry &entry : entries_)
      furthest_.push_back(furthest = std::max(furthest, entry.access->end()));
  }

  // Calls visit(entry) for the entries that overlap [begin, end), from the last to the first, but for no more
  // than 4096: beyond, the same lines repeat.
  template <typename Visit>
  void Overlapping(uint64_t begin, uint64_t end, Visit &&visit) const {
    auto it =
        std::lower_bound(entries_.begin(), entries_.end(), end,
                         [](const GmEntry &entry, uint64_t value) { return entry.access->address < value; });
    int visits = 4096;
    for (auto index = it - entries_.begin(); index > 0 && furthest_[index - 1] > begin && visits > 0;
         --index) {
      const GmEntry &entry = entries_[index - 1];
      if (entry.access->end() <= begin) continue;
      visit(entry);
      --visits;
    }
  }

  const std::vector<GmEntry> &entries() const { return entries_; }

 private:
  std::vector<GmEntry> entries_;
  std::vector<uint64_t> furthest_;
};

// Whether the rows of two accesses lie beside each other in every period of their strides, as columns of one
// image do that two cores write. Then they share no byte, and nobody need look at the rows.
//
//   row of a   |aaaa      |aaaa      |aaaa        period: the greatest common divisor of the strides
//   row of b        |bbb       |bbb               behind: where b begins in it, counted from a
inline bool BesideEachOther(const GmAccess &a, const GmAccess &b) {
  const auto stride = [](const GmAccess &access) { return access.rows > 1 ? access.row_stride : 0; };
  const auto period = static_cast<uint64_t>(std::gcd(stride(a), stride(b)));
  if (period == 0 || a.row_bytes > period || b.row_bytes > period) return false;
  const uint64_t distance = b.address > a.address ? b.address - a.address : a.address - b.address;
  const uint64_t rest = distance % period;
  const uint64_t behind = b.address > a.address || rest == 0 ? rest : period - rest;
  return behind >= a.row_bytes && behind + b.row_bytes <= period;
}

// Calls visit(row of a, begin, end) for the bytes that two accesses share, row by row, until it returns
// false.
template <typename Visit>
void ForEachOverlap(const GmAccess &a, const GmAccess &b, Visit &&visit) {
  if (BesideEachOther(a, b)) return;
  for (uint32_t i = 0; i < a.rows; ++i) {
    const uint64_t low = a.address + static_cast<uint64_t>(i * a.row_stride);
    const uint64_t high = low + a.row_bytes;
    uint32_t first = 0;
    uint32_t last = b.rows;
    if (b.rows > 1 && b.row_stride > 0) {
      if (low > b.address)
        first = static_cast<uint32_t>(std::min<uint64_t>((low - b.address) / b.row_stride, b.rows - 1));
      last = high > b.address
                 ? static_cast<uint32_t>(std::min<uint64_t>((high - b.address) / b.row_stride + 1, b.rows))
                 : 1;
    }
    for (uint32_t j = first; j < last; ++j) {
      const uint64_t other = b.address + static_cast<uint64_t>(j * b.row_stride);
      const uint64_t begin = std::max(low, other);
      const uint64_t end = std::min(high, other + b.row_bytes);
      if (begin < end && !visit(i, begin, end)) return;
    }
  }
}

// Finds the first bytes that two accesses share. Returns false where they share none.
inline bool Overlap(const GmAccess &a, const GmAccess &b, uint64_t *begin, uint64_t *end) {
  bool found = false;
  ForEachOverlap(a, b, [&](uint32_t, uint64_t low, uint64_t high) {
    *begin = low;
    *end = high;
    found = true;
    return false;
  });
  return found;
}

// Whether a read and a write share such bytes of the read's tails alone as its core does not use (tails.h).
inline bool Unused(const GmLog &log, const GmAccess &read, const GmAccess &write) {
  bool unused = read.tails != GmAccess::kNoTails;
  if (!unused) return false;
  ForEachOverlap(read, write, [&](uint32_t row, uint64_t begin, uint64_t end) {
    const uint64_t row_end = read.address + static_cast<uint64_t>(row * read.row_stride) + read.row_bytes;
    const uint64_t tail = row_end - GmAccess::kTailBytes;
    unused = begin >= tail;
    for (uint64_t byte = begin; unused && byte < end; ++byte)
      unused = ((log.tails[read.tails + row] >> (byte - tail)) & 1U) == 0;
    return unused;
  });
  return unused;
}

// "GM bytes [0, 4) of an allocation of 64 bytes".
inline std::string GmRange(const DeviceMemory &memory, uint64_t begin, uint64_t end) {
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  memory.FindPadded(reinterpret_cast<const void *>(begin), 1, &start, &size, &padding);
  const auto base = reinterpret_cast<uint64_t>(start);
  return Range(Space::GM, static_cast<int64_t>(begin - base), static_cast<int64_t>(end - base)) +
         " of an allocation of " + std::to_string(size) + " bytes";
}

}  // namespace sim
