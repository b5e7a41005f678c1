// SPDX-License-Identifier: Apache-2.0
// Accesses to GM in the order of their addresses, for the judges that compare all with all after a run.
#pragma once

#include <algorithm>
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

// Finds the first bytes that two accesses share, row by row. Returns false where they share none.
inline bool Overlap(const GmAccess &a, const GmAccess &b, uint64_t *begin, uint64_t *end) {
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
      *begin = std::max(low, other);
      *end = std::min(high, other + b.row_bytes);
      if (*begin < *end) return true;
    }
  }
  return false;
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
