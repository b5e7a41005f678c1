// SPDX-License-Identifier: Apache-2.0
#include "hazards.h"

#include <algorithm>
#include <iterator>

#include "queues.h"
#include "runs.h"

namespace sim {

std::string OrderOf(Pipe earlier, Pipe later) {
  if (earlier == later) return std::string("PipeBarrier<PIPE_") + PipeName(later) + ">";
  std::string event =
      std::string("SetFlag/WaitFlag<HardEvent::") + PipeName(earlier) + "_" + PipeName(later) + ">";
  const bool queue = earlier != Pipe::S && later != Pipe::S;
  return queue ? event + " (or EnQue/DeQue, FreeTensor/AllocTensor of a TQue)" : event;
}

void Hazards::Reset(bool auto_sync, const uint64_t *space_bytes) {
  auto_sync_ = auto_sync;
  space_bytes_ = space_bytes;
  sequence_ = {};
  for (Clock &clock : clocks_) clock = {};
  for (auto &waited : waited_) waited.clear();
  certain_ = 0;
  by_addresses_.clear();
  for (std::vector<uint32_t> &sites : issued_) sites.assign(1, 0);  // numbers begin at 1
  ReleaseShadows();
  gm_ = {};
  gm_.global_clocks.push_back(nullptr);
}

void Hazards::ReleaseShadows() {
  for (Shadow &shadow : shadows_) shadow = {};
}

void Hazards::Advance(const Instruction &instruction, uint32_t site) {
  const Pipe pipe = instruction.pipe;
  const int p = Index(pipe);
  by_address_ = auto_sync_ && instruction.by_address;
  ++sequence_[p];
  issued_[p].push_back(site);
  if (pipe == Pipe::S) {
    clocks_[p][p] = sequence_[p];
    return;
  }
  const uint32_t scalar = clocks_[p][Index(Pipe::S)];
  Join(&clocks_[p], clocks_[Index(Pipe::S)]);
  if (!auto_sync_ || by_address_) clocks_[p][Index(Pipe::S)] = scalar;
  // Earlier work of the same pipe: automatic synchronisation orders V after V; nothing orders a copy after a
  // copy.
  if (instruction.chained || (auto_sync_ && pipe == Pipe::V)) clocks_[p][p] = sequence_[p] - 1;
  Clock waited = clocks_[p];
  waited[p] = waited[Index(Pipe::S)] = 0;
  if (waited_[p].empty() || waited_[p].back().second != waited) waited_[p].emplace_back(sequence_[p], waited);
  if (pipe != Pipe::V) return;
  certain_ = std::max(certain_, clocks_[Index(Pipe::S)][p]);
  if (!by_address_) return;
  clocks_[p][p] = certain_;
  by_addresses_.push_back(sequence_[p]);
}

bool Hazards::Unseen(Pipe pipe, Pipe earlier, uint32_t sequence) const {
  const auto automatic = [](Pipe p) { return p == Pipe::V || p == Pipe::S; };
  if (by_addresses_.empty() || !automatic(pipe) || !automatic(earlier)) return false;
  if (pipe == earlier && sequence <= certain_) return false;
  if (pipe == Pipe::V && by_address_) return true;
  return earlier == Pipe::V && std::binary_search(by_addresses_.begin(), by_addresses_.end(), sequence);
}

// With an instruction has finished what its pipe had waited for when it began.
void Hazards::JoinWaited(Clock *known, int pipe, uint32_t sequence) const {
  const auto &waited = waited_[pipe];
  const auto later = std::upper_bound(waited.begin(), waited.end(), sequence,
                                      [](uint32_t value, const auto &entry) { return value < entry.first; });
  if (later != waited.begin()) Join(known, std::prev(later)->second);
}

void Hazards::Acquire(Pipe pipe, const Clock &clock) {
  Join(&clocks_[Index(pipe)], clock);
  if (pipe == Pipe::V) certain_ = std::max(certain_, clock[Index(pipe)]);
}

void Hazards::Barrier(Pipe pipe) {
  clocks_[Index(pipe)][Index(pipe)] = sequence_[Index(pipe)];
  if (pipe == Pipe::V) certain_ = sequence_[Index(pipe)];
}

Clock Hazards::Done(Pipe pipe) const {
  Clock clock = clocks_[Index(pipe)];
  clock[Index(pipe)] = sequence_[Index(pipe)];
  return clock;
}

Clock Hazards::Release(Pipe pipe) {
  const Clock clock = Done(pipe);
  ++epochs_[Index(pipe)];
  return clock;
}

void Hazards::BarrierAll() {
  for (Clock &clock : clocks_) Join(&clock, sequence_);
  certain_ = sequence_[Index(Pipe::V)];
  by_addresses_.clear();
}

void Hazards::Report(Pipe pipe, const Operand &operand, const Site &site, const Conflict &conflict,
                     const std::vector<Site> &sites, FaultLog *log) const {
  const Site &earlier = sites[conflict.site];
  if (log->Known(FaultKind::kMissingSync, earlier, site)) return;
  const ByteRange extent = Extent(operand);
  const int64_t low = std::max(static_cast<int64_t>(conflict.first * kCellBytes), extent.begin);
  const int64_t high = std::min(static_cast<int64_t>(conflict.end * kCellBytes), extent.end);
  log->AddPair(FaultKind::kMissingSync, earlier, site,
               Describe(site) + " on " + PipeName(pipe) + (operand.write ? " writes " : " reads ") +
                   operand.name + ", " + Range(operand.space, low, high) +
                   queues_->OfBuffer(operand.space, static_cast<uint64_t>(low)) + ", which " +
                   Describe(earlier) + " on " + PipeName(conflict.pipe) +
                   (conflict.write ? " writes" : " reads") + ", and nothing orders the two: missing " +
                   OrderOf(conflict.pipe, pipe) +
                   (conflict.unseen ? ", which the compiler adds for tensors alone, not for addresses" : ""));
}

uint32_t Hazards::JudgeCells(Pipe pipe, const Operand &operand, const Site &site,
                             const std::vector<Site> &sites, uint64_t first, uint64_t last, FaultLog *log) {
  Shadow &shadow = shadows_[Index(operand.space)];
  Clock &known = clocks_[Index(pipe)];
  uint32_t drain = 0;
  Conflict conflict;  // blocks in a row that meet one earlier call
  auto report = [&] {
    if (conflict.end != 0) Report(pipe, operand, site, conflict, sites, log);
    conflict.end = 0;
  };
  auto meet = [&](Pipe earlier, uint32_t sequence, bool write, uint64_t index) {
    const bool unseen = Unseen(pipe, earlier, sequence);
    if (auto_sync_ && !unseen && (pipe == Pipe::S || earlier == Pipe::S)) {
      if (pipe == Pipe::S) {
        drain |= 1U << Index(earlier);
        known[Index(earlier)] = std::max(known[Index(earlier)], sequence);
        JoinWaited(&known, Index(earlier), sequence);
      }
      return;
    }
    const uint32_t site_of_earlier = issued_[Index(earlier)][sequence];
    if (conflict.end == 0 || conflict.end != index || conflict.site != site_of_earlier ||
        conflict.pipe != earlier) {
      report();
      conflict = {earlier, write, unseen, site_of_earlier, index, index};
    }
    conflict.end = index + 1;
  };

  // Who reads bytes came after the write. Where a reader and the writer are both in conflict, the report
  // names the reader.
  bool readers = false;
  for (int earlier = 0; operand.write && earlier < kPipes; ++earlier) {
    const std::vector<uint32_t> &reads = shadow.reads[earlier];
    // A pipe starts a read and a later write in order, and the read is done first.
    if (reads.empty() || earlier == Index(pipe)) continue;
    for (uint64_t cell = first; cell <= last; ++cell) {
      if (reads[cell] <= known[earlier]) continue;
      meet(static_cast<Pipe>(earlier), reads[cell], false, cell);
      readers = true;
    }
    report();
  }
  if (shadow.writes.empty() || readers) return drain;
  for (uint64_t cell = first; cell <= last; ++cell) {
    const uint32_t write = shadow.writes[cell];
    const auto earlier = static_cast<Pipe>(shadow.write_pipes[cell]);
    if (write > known[Index(earlier)] ||
        (pipe == Pipe::V && earlier == Pipe::V && Unseen(pipe, earlier, write))) {
      meet(earlier, write, true, cell);
    }
  }
  report();
  return drain;
}

bool Hazards::Noisy(Pipe pipe, bool write, const Shadow &shadow, uint64_t begin, uint64_t end) const {
  Clock unknown_reads = clocks_[Index(pipe)];
  // A pipe starts a read and a later write in order, and the read is done first.
  unknown_reads[Index(pipe)] = ~uint32_t{0};
  const Clock &unknown_writes = clocks_[Index(pipe)];
  const uint32_t seen = pipe != Pipe::V ? ~uint32_t{0} : certain_;
  for (uint64_t index = begin / kPageBytes; index <= (end - 1) / kPageBytes; ++index) {
    const Page &page = shadow.pages[index];
    bool noisy = page.by_address > seen;
    if (pipe == Pipe::V && by_address_) noisy = noisy || page.writes[Index(Pipe::V)] > certain_;
    for (int p = 0; p < kPipes; ++p) noisy |= page.writes[p] > unknown_writes[p];
    for (int p = 0; write && p < kPipes; ++p) noisy |= page.reads[p] > unknown_reads[p];
    if (noisy) return true;
  }
  return false;
}

uint32_t Hazards::Judge(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                        FaultLog *log) {
  const ByteRange extent = Extent(operand);
  Shadow &shadow = shadows_[Index(operand.space)];
  if (operand.space == Space::GM || extent.begin == extent.end || shadow.pages.empty()) return 0;
  if (!Noisy(pipe, operand.write, shadow, static_cast<uint64_t>(extent.begin),
             static_cast<uint64_t>(extent.end))) {
    return 0;
  }
  for (uint64_t page = extent.begin / kPageBytes; page <= (extent.end - 1) / kPageBytes; ++page) {
    Expand(&shadow, page);
  }
  uint32_t drain = 0;
  ForEachPlace(operand, [&](uint64_t begin, uint64_t bytes) {
    drain |=
        JudgeCells(pipe, operand, site, sites, begin / kCellBytes, (begin + bytes - 1) / kCellBytes, log);
  });
  return drain;
}

// Notes in its cells what a page says of all of them.
void Hazards::Expand(Shadow *shadow, uint64_t index) {
  Page &page = shadow->pages[index];
  const auto fill = [index](auto *cells, auto value) {
    const auto begin = cells->begin() + static_cast<int64_t>(index * kPageCells);
    std::fill(begin, begin + static_cast<int64_t>(kPageCells), value);
  };
  if (page.whole_write != 0) {
    fill(&shadow->writes, page.whole_write);
    fill(&shadow->write_pipes, static_cast<uint8_t>(Index(page.whole_pipe)));
    page.whole_write = 0;
  }
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    if (page.whole_reads[pipe] != 0) fill(&shadow->reads[pipe], page.whole_reads[pipe]);
    page.whole_reads[pipe] = 0;
  }
}

void Hazards::RecordCells(Shadow *shadow, int pipe, bool write, uint64_t first, uint64_t end) {
  const uint32_t sequence = sequence_[pipe];
  for (uint64_t index = first / kPageCells; index * kPageCells < end; ++index) {
    Page &page = shadow->pages[index];
    const uint64_t begin = std::max(first, index * kPageCells);
    const uint64_t stop = std::min(end, (index + 1) * kPageCells);
    const bool whole = stop - begin == kPageCells;
    (write ? page.writes : page.reads)[pipe] = sequence;
    if (write && by_address_ && pipe == Index(Pipe::V)) page.by_address = sequence;
    if (whole) {
      (write ? page.whole_write : page.whole_reads[pipe]) = sequence;
      if (write) page.whole_pipe = static_cast<Pipe>(pipe);
      continue;
    }
    if ((write ? page.whole_write : page.whole_reads[pipe]) != 0) Expand(shadow, index);
    std::vector<uint32_t> &cells = write ? shadow->writes : shadow->reads[pipe];
    for (uint64_t cell = begin; cell < stop; ++cell) cells[cell] = sequence;
    for (uint64_t cell = begin; write && cell < stop; ++cell) shadow->write_pipes[cell] = pipe;
  }
}

void Hazards::Record(Pipe pipe, const Operand &operand) {
  const int p = Index(pipe);
  Shadow &shadow = shadows_[Index(operand.space)];
  const uint64_t pages = space_bytes_[Index(operand.space)] / kPageBytes + 1;
  if (shadow.pages.empty()) shadow.pages.resize(pages);
  std::vector<uint32_t> &cells = operand.write ? shadow.writes : shadow.reads[p];
  if (cells.empty()) {
    cells.assign(pages * kPageCells, 0);
    if (operand.write) shadow.write_pipes.assign(pages * kPageCells, 0);
  }
  ForEachPlace(operand, [&](uint64_t begin, uint64_t bytes) {
    RecordCells(&shadow, p, operand.write, begin / kCellBytes, (begin + bytes - 1) / kCellBytes + 1);
  });
}

void Hazards::RecordGm(Pipe pipe, const Operand &operand, uint32_t site, uint8_t atomic,
                       const GmCaching &caching) {
  const int p = Index(pipe);
  if (gm_.clocks.empty() || gm_.clocks[last_clock_[p]] != clocks_[p]) {
    last_clock_[p] = static_cast<uint32_t>(gm_.clocks.size());
    gm_.clocks.push_back(clocks_[p]);
  }
  const auto global_clock = static_cast<uint32_t>(gm_.global_clocks.size() - 1);
  for (uint32_t group = 0; group < operand.groups; ++group) {
    GmAccess access;
    access.address = operand.address + static_cast<uint64_t>(group * operand.group_stride);
    access.row_bytes = operand.row_bytes;
    access.rows = operand.rows;
    access.row_stride = operand.row_stride;
    if (access.rows > 1 && access.row_stride == operand.row_bytes) {
      access.row_bytes *= access.rows;
      access.rows = 1;
    }
    access.sequence = sequence_[p];
    access.site = site;
    access.clock = last_clock_[p];
    access.global_clock = global_clock;
    access.epoch = epochs_[p];
    access.pipe = pipe;
    access.write = operand.write;
    access.atomic = atomic;
    access.caching = caching;
    // A run that continues the last one of this pipe belongs to the same access.
    if (access.rows == 1 && last_access_[p] < gm_.accesses.size()) {
      GmAccess &last = gm_.accesses[last_access_[p]];
      if (last.pipe == pipe && last.rows == 1 && last.address + last.row_bytes == access.address &&
          last.site == site && last.clock == access.clock && last.global_clock == global_clock &&
          last.epoch == access.epoch && last.write == access.write && last.atomic == atomic &&
          last.caching == caching && !caching.fresh &&
          !(caching.cached && access.write && access.address % kCacheLine == 0)) {
        last.row_bytes += access.row_bytes;
        last.sequence = access.sequence;
        continue;
      }
    }
    last_access_[p] = static_cast<uint32_t>(gm_.accesses.size());
    gm_.accesses.push_back(access);
  }
}

}  // namespace sim
