// SPDX-License-Identifier: Apache-2.0
// Finds accesses to GM that do not see what another core wrote, or that undo it, because one of the two went
// through the data cache of a scalar unit (scalar_cache.h). The two are ordered; what nothing orders is found
// by gm_hazards.cpp.
//
//   core 0   SetValue ········ clean ──▶ SyncAll          what core 1 does after SyncAll sees SetValue,
//   core 1             load             SyncAll  GetValue  but GetValue has the line as `load` found it
#include "gm_intervals.h"

namespace sim {
namespace {

class Judge {
 public:
  Judge(const std::vector<GmCore> &cores, const DeviceMemory &memory) : cores_(cores), memory_(memory) {}

  void Run() {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
      for (const GmAccess &access : cores_[core].log->accesses) {
        if (!access.write) continue;
        writes_.Add(access, core);
        if (access.caching.cached) cached_writes_.Add(access, core);
      }
    }
    writes_.Sort();
    cached_writes_.Sort();
    if (writes_.entries().empty()) return;
    for (const GmEntry &cached : cached_writes_.entries()) AgainstWrites(cached);
    for (uint32_t core = 0; core < cores_.size(); ++core) {
      for (const GmAccess &access : cores_[core].log->accesses) {
        if (!access.write) OfRead({&access, core});
      }
    }
  }

 private:
  // Whether what `core` knew by its global clock number `clock` includes an instruction of another core.
  bool Knew(uint32_t core, uint32_t clock, uint32_t other, Pipe pipe, uint32_t sequence) const {
    const GlobalClockPtr &known = cores_[core].log->global_clocks[clock];
    return known != nullptr && (*known)[other][Index(pipe)] >= sequence;
  }
  bool Before(const GmEntry &first, const GmEntry &second) const {
    return Knew(second.core, second.access->global_clock, first.core, first.access->pipe,
                first.access->sequence);
  }
  // Whether the line of a cached write was in GM again when `later` started.
  bool WrittenBack(const GmEntry &cached, const GmEntry &later) const {
    const uint32_t cleaned = cached.access->caching.cleaned;
    return cleaned != 0 && Knew(later.core, later.access->global_clock, cached.core, Pipe::S, cleaned);
  }
  // Whether a cached access found a write in GM when its line was loaded.
  bool Loaded(const GmEntry &write, const GmEntry &cached) const {
    return Knew(cached.core, cached.access->caching.loaded, write.core, write.access->pipe,
                write.access->sequence);
  }

  template <typename Visit>
  static void Lines(const GmIntervals &intervals, const GmEntry &entry, Visit &&visit) {
    const uint64_t begin = entry.access->address / kCacheLine * kCacheLine;
    const uint64_t end = (entry.access->end() + kCacheLine - 1) / kCacheLine * kCacheLine;
    intervals.Overlapping(begin, end, [&](const GmEntry &other) {
      if (other.core != entry.core) visit(other);
    });
  }

  void AgainstWrites(const GmEntry &cached) {
    Lines(writes_, cached, [&](const GmEntry &other) {
      if (Before(cached, other)) {
        if (!WrittenBack(cached, other)) ReportLost(other, cached, cached, other);
      } else if (Before(other, cached)) {
        if (!Loaded(other, cached)) ReportLost(other, cached, other, cached);
      } else if (other.core < cached.core || !other.access->caching.cached) {
        uint64_t begin = 0, end = 0;
        if (!Overlap(*cached.access, *other.access, &begin, &end)) ReportLost(other, cached, other, cached);
      }
    });
  }

  void OfRead(const GmEntry &read) {
    cached_writes_.Overlapping(read.access->address, read.access->end(), [&](const GmEntry &write) {
      if (write.core != read.core && Before(write, read) && !WrittenBack(write, read)) {
        ReportOld(write, read, " wrote to its data cache and has not written back");
      }
    });
    if (!read.access->caching.cached) return;
    writes_.Overlapping(read.access->address, read.access->end(), [&](const GmEntry &write) {
      if (write.core != read.core && Before(write, read) && !Loaded(write, read)) {
        ReportOld(write, read, " wrote after this core's data cache had loaded them");
      }
    });
  }

  std::string BlockOf(const GmEntry &entry, const GmEntry &other) const {
    const GmCore &core = cores_[entry.core];
    return core.block == cores_[other.core].block ? "another core of the block"
                                                  : "block " + std::to_string(core.block);
  }
  const Site &SiteOf(const GmEntry &entry) const { return (*cores_[entry.core].sites)[entry.access->site]; }

  void ReportOld(const GmEntry &write, const GmEntry &read, const char *why) {
    uint64_t begin = 0, end = 0;
    if (!Overlap(*write.access, *read.access, &begin, &end)) return;
    const Site &first = SiteOf(write);
    const Site &second = SiteOf(read);
    cores_[read.core].faults->AddPair(FaultKind::kCoherence, first, second,
                                      Describe(second) + " reads " + GmRange(memory_, begin, end) +
                                          ", which " + Describe(first) + " of " + BlockOf(write, read) + why +
                                          ": missing DataCacheCleanAndInvalid");
  }

  // `other`: the write that is lost; the line of `cached` is written back over it.
  void ReportLost(const GmEntry &other, const GmEntry &cached, const GmEntry &earlier, const GmEntry &later) {
    const GmEntry &told = other.core == later.core ? later : earlier;
    const Site &first = SiteOf(earlier);
    const Site &second = SiteOf(later);
    const GmAccess &lost = *told.access;
    cores_[later.core].faults->AddPair(
        FaultKind::kCoherence, first, second,
        Describe(second) + " writes to a line of 64 bytes of " + GmRange(memory_, lost.address, lost.end()) +
            " that " + Describe(first) + " of " + BlockOf(earlier, later) +
            " writes to as well, and the data cache of block " + std::to_string(cores_[cached.core].block) +
            " may write the whole line back over what the other one wrote: missing "
            "DataCacheCleanAndInvalid, or a line of its own for the data of each block");
  }

  const std::vector<GmCore> &cores_;
  const DeviceMemory &memory_;
  GmIntervals writes_;
  GmIntervals cached_writes_;
};

}  // namespace

void JudgeCoherence(const std::vector<GmCore> &cores, const DeviceMemory &memory) {
  Judge(cores, memory).Run();
}

}  // namespace sim
