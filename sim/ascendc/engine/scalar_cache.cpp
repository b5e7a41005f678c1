// SPDX-License-Identifier: Apache-2.0
#include "scalar_cache.h"

#include "core_state.h"
#include "gm_intervals.h"
#include "runs.h"

namespace sim {
namespace {

constexpr char kMissing[] = ": missing DataCacheCleanAndInvalid";

// The bits of a line's bytes that lie in [begin, end).
uint64_t BitsOf(uint64_t line, uint64_t begin, uint64_t end) {
  const uint64_t start = line * kCacheLine;
  const uint64_t low = begin > start ? begin - start : 0;
  const uint64_t high = std::min(end - start, kCacheLine);
  const uint64_t below_high = high == kCacheLine ? ~uint64_t{0} : (uint64_t{1} << high) - 1;
  return below_high & ~((uint64_t{1} << low) - 1);
}

// Calls visit(line, bits) for each line that a run of bytes touches.
template <typename Visit>
void ForEachLine(uint64_t begin, uint64_t bytes, Visit &&visit) {
  for (uint64_t line = begin / kCacheLine; line * kCacheLine < begin + bytes; ++line) {
    visit(line, BitsOf(line, begin, begin + bytes));
  }
}

}  // namespace

void ScalarCache::Report(uint32_t earlier, uint32_t later, const std::string &what, const Operand &operand,
                         const std::string &why) {
  const Site first = core_->sites()[earlier];
  const Site second = core_->sites()[later];
  const ByteRange extent = Extent(operand);
  core_->log.AddPair(
      FaultKind::kCoherence, first, second,
      Describe(second) + what + operand.name + ", " +
          GmRange(*core_->memory, static_cast<uint64_t>(extent.begin), static_cast<uint64_t>(extent.end)) +
          why + kMissing);
}

void ScalarCache::Access(const Operand &operand, uint32_t site) {
  const auto now = static_cast<uint32_t>(core_->hazards.gm().global_clocks.size() - 1);
  GmCaching caching{true, now, 0};
  std::vector<Line *> written;
  ForEachLine(operand.address, operand.row_bytes, [&](uint64_t number, uint64_t bits) {
    const auto [entry, added] = lines_.try_emplace(number);
    Line &line = entry->second;
    if (added) line.loaded = now;
    caching.fresh = (forgotten_.erase(number) != 0 && !operand.write) || caching.fresh;
    caching.loaded = std::min(caching.loaded, line.loaded);
    const uint64_t old = operand.write ? line.stale & ~bits : line.stale & bits;
    if (old != 0) {
      const std::string writer = Describe(core_->sites()[line.stale_by]);
      Report(line.stale_by, site, operand.write ? " writes " : " reads ", operand,
             operand.write
                 ? ", in a line of 64 bytes of the data cache which is older than what " + writer +
                       " wrote to it in GM, and which will be written back over it"
                 : ", which the data cache still holds as they were before " + writer + " wrote them");
      line.stale = 0;
    }
    if (!operand.write) return;
    line.changed |= bits;
    line.changed_by = site;
    line.stale &= ~bits;
    written.push_back(&line);
  });
  core_->hazards.RecordGm(Pipe::S, operand, site, false, caching);
  if (caching.fresh) core_->NotePoll(operand.address, operand.row_bytes);
  const uint32_t access = core_->hazards.LastAccess(Pipe::S);
  for (Line *line : written) {
    if (line->writes.empty() || line->writes.back() != access) line->writes.push_back(access);
  }
}

void ScalarCache::Pass(const Operand &operand, uint32_t site) {
  if (lines_.empty()) return;
  const ByteRange extent = Extent(operand);
  const auto begin = lines_.lower_bound(static_cast<uint64_t>(extent.begin) / kCacheLine);
  const uint64_t end = (static_cast<uint64_t>(extent.end) + kCacheLine - 1) / kCacheLine;
  if (begin == lines_.end() || begin->first >= end) return;
  ForEachRun(operand, [&](uint64_t address, uint64_t bytes) {
    for (auto entry = lines_.lower_bound(address / kCacheLine);
         entry != lines_.end() && entry->first * kCacheLine < address + bytes; ++entry) {
      Line &line = entry->second;
      const uint64_t bits = BitsOf(entry->first, address, address + bytes);
      const uint64_t lost = operand.write ? line.changed : line.changed & bits;
      if (lost != 0) {
        const std::string writer = Describe(core_->sites()[line.changed_by]);
        Report(line.changed_by, site, operand.write ? " writes " : " reads ", operand,
               operand.write ? ", in a line of 64 bytes that " + writer +
                                   " changed in the data cache, which will be written back over it"
                             : ", but what " + writer + " wrote is in the data cache alone");
      }
      if (operand.write) {
        line.stale |= bits;
        line.stale_by = site;
      }
    }
  });
}

void ScalarCache::Clean(bool all, uint64_t address) {
  std::vector<GmAccess> &accesses = core_->hazards.gm().accesses;
  const uint32_t now = core_->hazards.sequence()[Index(Pipe::S)];
  const auto first = all ? lines_.begin() : lines_.find(address / kCacheLine);
  const auto end = all || first == lines_.end() ? lines_.end() : std::next(first);
  for (auto line = first; line != end; ++line) {
    for (const uint32_t write : line->second.writes) {
      GmAccess &access = accesses[write];
      access.caching.cleaned = now;
      core_->PublishLine(access.address, access.row_bytes, access.site);
    }
    forgotten_.insert(line->first);
  }
  if (!all) forgotten_.insert(address / kCacheLine);
  lines_.erase(first, end);
}

void ScalarCache::Reload(uint64_t address) {
  const auto line = lines_.find(address / kCacheLine);
  if (line != lines_.end())
    line->second.loaded = static_cast<uint32_t>(core_->hazards.gm().global_clocks.size() - 1);
}

}  // namespace sim
