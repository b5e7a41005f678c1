// SPDX-License-Identifier: Apache-2.0
// Finds accesses to the same bytes of GM that nothing orders: between cores, and between the pipes of a core.
#include <map>
#include <utility>

#include "gm_intervals.h"

namespace sim {
namespace {

// "reads", "writes", or "writes (atomic add of half)".
std::string Does(const GmAccess &access) {
  static const char *const operations[] = {"", "add", "max", "min"};
  if (!access.write) return "reads";
  if (access.atomic == 0) return "writes";
  return std::string("writes (atomic ") + operations[access.atomic >> 4] + " of " +
         NameOf(TypeOfAtomic(access.atomic)) + ")";
}

class Judge {
 public:
  Judge(const std::vector<GmCore> &cores, const DeviceMemory &memory) : cores_(cores), memory_(memory) {}

  void Run() {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
      for (const GmAccess &access : cores_[core].log->accesses) {
        if (access.write) (access.atomic ? atomics_ : writes_).Add(access, core);
        if (access.caching.fresh) last_reads_[{core, access.address}] = &access;
      }
    }
    writes_.Sort();
    atomics_.Sort();
    // Judges every pair with a write: writes against writes, atomics against writes and against atomics of
    // another operation or type, reads against both.
    for (const GmEntry &write : writes_.entries()) Against(writes_, write);
    const bool mixed = Mixed();
    for (const GmEntry &atomic : atomics_.entries()) {
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
  // Whether atomic copies have more than one operation or type.
  bool Mixed() const {
    const std::vector<GmEntry> &entries = atomics_.entries();
    return std::any_of(entries.begin(), entries.end(), [&](const GmEntry &entry) {
      return entry.access->atomic != entries[0].access->atomic;
    });
  }

  void Against(const GmIntervals &others, const GmEntry &entry) {
    others.Overlapping(entry.access->address, entry.access->end(), [&](const GmEntry &other) {
      const bool alike = entry.access->atomic != 0 && other.access->atomic == entry.access->atomic;
      if (other.access != entry.access && !alike && !Ordered(entry, other) && !Ordered(other, entry) &&
          !Polled(entry, other)) {
        Conflict(other, entry);
      }
    });
  }

  // Whether a read looks into GM for a write of another core, and this core went on when it had found it.
  bool Polled(const GmEntry &read, const GmEntry &write) const {
    if (!read.access->caching.fresh || read.core == write.core) return false;
    const GmAccess &last = *last_reads_.at({read.core, read.access->address});
    const GlobalClockPtr &clock = cores_[read.core].log->global_clocks[last.after];
    return clock != nullptr && (*clock)[write.core][Index(write.access->pipe)] >= write.access->sequence;
  }

  // Whether `first` has finished before `second` starts.
  bool Ordered(const GmEntry &first, const GmEntry &second) const {
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

  void Conflict(const GmEntry &first, const GmEntry &second) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (!Overlap(*first.access, *second.access, &begin, &end)) return;
    // A core notes its accesses in the order of the program.
    const bool swap = first.core == second.core && first.access > second.access;
    const GmEntry &a = swap ? second : first;
    const GmEntry &b = swap ? first : second;
    const GmCore &core_a = cores_[a.core];
    const GmCore &core_b = cores_[b.core];
    const Site &site_a = (*core_a.sites)[a.access->site];
    const Site &site_b = (*core_b.sites)[b.access->site];
    const bool unused = b.access->write ? Unused(*core_a.log, *a.access, *b.access)
                                        : Unused(*core_b.log, *b.access, *a.access);
    const auto kind = [unused](FaultKind used) { return unused ? FaultKind::kUnusedRace : used; };
    const std::string where = GmRange(memory_, begin, end) + (unused ? ", of which it uses none" : "");
    if (a.core == b.core) {
      core_b.faults->AddPair(
          kind(FaultKind::kMissingSync), site_a, site_b,
          Describe(site_b) + " on " + PipeName(b.access->pipe) + " " + Does(*b.access) + " " + where +
              ", which " + Describe(site_a) + " on " + PipeName(a.access->pipe) + " " + Does(*a.access) +
              ", and nothing orders the two: missing " + OrderOf(a.access->pipe, b.access->pipe));
      return;
    }
    const std::string accesses = Describe(site_b) + " " + Does(*b.access) + " " + where;
    if (core_a.block == core_b.block) {
      core_b.faults->AddPair(kind(FaultKind::kBlockConflict), site_a, site_b,
                             accesses + ", which another core of the block " + Does(*a.access) + " in " +
                                 Describe(site_a) +
                                 ", and nothing orders the two cores: missing CrossCoreSetFlag<2, PIPE_" +
                                 PipeName(a.access->pipe) + "> / CrossCoreWaitFlag");
      return;
    }
    core_b.faults->AddPair(
        kind(FaultKind::kBlockConflict), site_a, site_b,
        accesses + ", which block " + std::to_string(core_a.block) + " " + Does(*a.access) + " in " +
            Describe(site_a) + ", and nothing orders the two blocks: missing SyncAll" +
            (a.access->write && b.access->write ? ", or the blocks overlap by mistake" : ""));
  }

  const std::vector<GmCore> &cores_;
  const DeviceMemory &memory_;
  GmIntervals writes_;
  GmIntervals atomics_;
  std::map<std::pair<uint32_t, uint64_t>, const GmAccess *> last_reads_;  // fresh ones, by core and address
};

}  // namespace

void JudgeGm(const std::vector<GmCore> &cores, const DeviceMemory &memory) { Judge(cores, memory).Run(); }

}  // namespace sim
