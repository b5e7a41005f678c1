// SPDX-License-Identifier: Apache-2.0
// Finds accesses to the same bytes of GM that nothing orders: between cores, and between the pipes of a core.
#include <algorithm>

#include "hazards.h"
#include "registers.h"

namespace sim {
namespace {

struct Entry {
  const GmAccess *access;
  uint32_t core;
};

// Accesses sorted by address. furthest_[i] is the largest end of the entries 0 to i.
class Intervals {
 public:
  void Add(const GmAccess &access, uint32_t core) { entries_.push_back({&access, core}); }

  void Sort() {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry &a, const Entry &b) { return a.access->address < b.access->address; });
    uint64_t furthest = 0;
    for (const Entry &entry : entries_)
      furthest_.push_back(furthest = std::max(furthest, entry.access->end()));
  }

  // Calls visit(entry) for the entries that overlap [begin, end), from the last to the first, until it
  // returns false.
  template <typename Visit>
  void Overlapping(uint64_t begin, uint64_t end, Visit &&visit) const {
    auto it = std::lower_bound(entries_.begin(), entries_.end(), end, [](const Entry &entry, uint64_t value) {
      return entry.access->address < value;
    });
    for (auto index = it - entries_.begin(); index > 0 && furthest_[index - 1] > begin; --index) {
      const Entry &entry = entries_[index - 1];
      if (entry.access->end() > begin && !visit(entry)) return;
    }
  }

  const std::vector<Entry> &entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::vector<uint64_t> furthest_;
};

// Finds the first bytes that two accesses share, row by row. Returns false where they share none.
bool Overlap(const GmAccess &a, const GmAccess &b, uint64_t *begin, uint64_t *end) {
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

// "reads", "writes", or "writes (atomic add of half)".
std::string Does(const GmAccess &access) {
  static const char *const operations[] = {"", "add", "max", "min"};
  if (!access.write) return "reads";
  if (access.atomic == 0) return "writes";
  return std::string("writes (atomic ") + operations[access.atomic >> 4] + " of " +
         NameOf(static_cast<AtomicType>(access.atomic & 15)) + ")";
}

class Judge {
 public:
  Judge(const std::vector<GmCore> &cores, const DeviceMemory &memory) : cores_(cores), memory_(memory) {}

  void Run() {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
      for (const GmAccess &access : cores_[core].log->accesses) {
        if (access.write) (access.atomic ? atomics_ : writes_).Add(access, core);
      }
    }
    writes_.Sort();
    atomics_.Sort();
    // Judges every pair with a write: writes against writes, atomics against writes and against atomics of
    // another operation or type, reads against both.
    for (const Entry &write : writes_.entries()) Against(writes_, write);
    const bool mixed = Mixed();
    for (const Entry &atomic : atomics_.entries()) {
      Against(writes_, atomic);
      if (mixed) Against(atomics_, atomic);
    }
    if (writes_.entries().empty() && atomics_.entries().empty()) return;
    for (uint32_t core = 0; core < cores_.size(); ++core) {
      for (const GmAccess &access : cores_[core].log->accesses) {
        if (access.write) continue;
        Against(writes_, {&access, core});
        Against(atomics_, {&access, core});
      }
    }
  }

 private:
  static constexpr int kMaxPairs = 4096;  // looked at for one access: beyond, the same lines repeat

  // Whether atomic copies have more than one operation or type.
  bool Mixed() const {
    const std::vector<Entry> &entries = atomics_.entries();
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Entry &entry) { return entry.access->atomic != entries[0].access->atomic; });
  }

  void Against(const Intervals &others, const Entry &entry) {
    int pairs = 0;
    others.Overlapping(entry.access->address, entry.access->end(), [&](const Entry &other) {
      const bool alike = entry.access->atomic != 0 && other.access->atomic == entry.access->atomic;
      if (other.access != entry.access && !alike && !Ordered(entry, other) && !Ordered(other, entry))
        Conflict(other, entry);
      return ++pairs < kMaxPairs;
    });
  }

  // Whether `first` has finished before `second` starts.
  bool Ordered(const Entry &first, const Entry &second) const {
    const GmAccess &a = *first.access;
    const GmAccess &b = *second.access;
    const GmLog &log = *cores_[second.core].log;
    if (first.core == second.core) {
      const bool scalar = a.pipe == Pipe::S || b.pipe == Pipe::S;
      if (scalar && (cores_[first.core].auto_sync || a.pipe == b.pipe)) return true;
      // A read and a later write of one pipe start in order, and the read is done first.
      if (a.pipe == b.pipe && !a.write && a.sequence < b.sequence) return true;
      return log.clocks[b.clock][Index(a.pipe)] >= a.sequence &&
             !(a.pipe == b.pipe && a.sequence > b.sequence);
    }
    const GlobalClockPtr &clock = log.global_clocks[b.global_clock];
    return clock != nullptr && (*clock)[first.core][Index(a.pipe)] >= a.sequence;
  }

  void Conflict(const Entry &first, const Entry &second) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (!Overlap(*first.access, *second.access, &begin, &end)) return;
    const bool swap = first.core == second.core && first.access->sequence > second.access->sequence &&
                      first.access->pipe == second.access->pipe;
    const Entry &a = swap ? second : first;
    const Entry &b = swap ? first : second;
    const GmCore &core_a = cores_[a.core];
    const GmCore &core_b = cores_[b.core];
    const Site &site_a = (*core_a.sites)[a.access->site];
    const Site &site_b = (*core_b.sites)[b.access->site];
    void *start = nullptr;
    uint64_t size = 0;
    memory_.Find(reinterpret_cast<const void *>(begin), 1, &start, &size);
    const auto base = reinterpret_cast<uint64_t>(start);
    const std::string where =
        Range(Space::GM, static_cast<int64_t>(begin - base), static_cast<int64_t>(end - base)) +
        " of an allocation of " + std::to_string(size) + " bytes";
    if (a.core == b.core) {
      core_b.faults->AddPair(
          FaultKind::kMissingSync, site_a, site_b,
          Describe(site_b) + " on " + PipeName(b.access->pipe) + " " + Does(*b.access) + " " + where +
              ", which " + Describe(site_a) + " on " + PipeName(a.access->pipe) + " " + Does(*a.access) +
              ", and nothing orders the two: missing " + OrderOf(a.access->pipe, b.access->pipe));
      return;
    }
    const std::string accesses = Describe(site_b) + " " + Does(*b.access) + " " + where;
    if (core_a.block == core_b.block) {
      core_b.faults->AddPair(FaultKind::kBlockConflict, site_a, site_b,
                             accesses + ", which another core of the block " + Does(*a.access) + " in " +
                                 Describe(site_a) +
                                 ", and nothing orders the two cores: missing CrossCoreSetFlag<2, PIPE_" +
                                 PipeName(a.access->pipe) + "> / CrossCoreWaitFlag");
      return;
    }
    core_b.faults->AddPair(
        FaultKind::kBlockConflict, site_a, site_b,
        accesses + ", which block " + std::to_string(core_a.block) + " " + Does(*a.access) + " in " +
            Describe(site_a) + ", and nothing orders the two blocks: missing SyncAll" +
            (a.access->write && b.access->write ? ", or the blocks overlap by mistake" : ""));
  }

  const std::vector<GmCore> &cores_;
  const DeviceMemory &memory_;
  Intervals writes_;
  Intervals atomics_;
};

}  // namespace

void JudgeGm(const std::vector<GmCore> &cores, const DeviceMemory &memory) { Judge(cores, memory).Run(); }

}  // namespace sim
