// SPDX-License-Identifier: Apache-2.0
#include "hazards.h"

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
  certain_ = 0;
  by_addresses_.clear();
  ReleaseShadows();
  gm_ = {};
  gm_.global_clocks.push_back(nullptr);
}

void Hazards::ReleaseShadows() {
  for (Shadow &shadow : shadows_) shadow = {};
}

void Hazards::Advance(const Instruction &instruction) {
  const Pipe pipe = instruction.pipe;
  const int p = Index(pipe);
  by_address_ = auto_sync_ && instruction.by_address;
  ++sequence_[p];
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
  auto meet = [&](Pipe earlier, const Cell &cell, bool write, uint64_t index) {
    const bool unseen = Unseen(pipe, earlier, cell.sequence);
    if (auto_sync_ && !unseen && (pipe == Pipe::S || earlier == Pipe::S)) {
      if (pipe == Pipe::S) {
        drain |= 1U << Index(earlier);
        known[Index(earlier)] = std::max(known[Index(earlier)], cell.sequence);
      }
      return;
    }
    if (conflict.end == 0 || conflict.end != index || conflict.site != cell.site ||
        conflict.pipe != earlier) {
      report();
      conflict = {earlier, write, unseen, cell.site, index, index};
    }
    conflict.end = index + 1;
  };

  // Who reads bytes came after the write. Where a reader and the writer are both in conflict, the report
  // names the reader.
  bool readers = false;
  for (int earlier = 0; operand.write && earlier < kPipes; ++earlier) {
    const std::vector<Cell> &reads = shadow.reads[earlier];
    // A pipe starts a read and a later write in order, and the read is done first.
    if (reads.empty() || earlier == Index(pipe)) continue;
    for (uint64_t cell = first; cell <= last; ++cell) {
      if (reads[cell].sequence <= known[earlier]) continue;
      meet(static_cast<Pipe>(earlier), reads[cell], false, cell);
      readers = true;
    }
    report();
  }
  if (shadow.writes.empty() || readers) return drain;
  for (uint64_t cell = first; cell <= last; ++cell) {
    const Cell &write = shadow.writes[cell];
    const auto earlier = static_cast<Pipe>(shadow.write_pipes[cell]);
    if (write.sequence > known[Index(earlier)] ||
        (pipe == Pipe::V && earlier == Pipe::V && Unseen(pipe, earlier, write.sequence))) {
      meet(earlier, write, true, cell);
    }
  }
  report();
  return drain;
}

uint32_t Hazards::Judge(Pipe pipe, const Operand &operand, const Site &site, const std::vector<Site> &sites,
                        FaultLog *log) {
  if (operand.space == Space::GM) return 0;
  uint32_t drain = 0;
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    drain |=
        JudgeCells(pipe, operand, site, sites, begin / kCellBytes, (begin + bytes - 1) / kCellBytes, log);
  });
  return drain;
}

void Hazards::Record(Pipe pipe, const Operand &operand, uint32_t site) {
  Shadow &shadow = shadows_[Index(operand.space)];
  const uint64_t cells = space_bytes_[Index(operand.space)] / kCellBytes;
  std::vector<Cell> &table = operand.write ? shadow.writes : shadow.reads[Index(pipe)];
  if (table.empty()) {
    table.assign(cells, Cell{});
    if (operand.write) shadow.write_pipes.assign(cells, 0);
  }
  const Cell cell{sequence_[Index(pipe)], site};
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    const uint64_t first = begin / kCellBytes;
    const uint64_t last = (begin + bytes - 1) / kCellBytes;
    std::fill(table.begin() + static_cast<int64_t>(first), table.begin() + static_cast<int64_t>(last + 1),
              cell);
    if (operand.write) {
      std::fill(shadow.write_pipes.begin() + static_cast<int64_t>(first),
                shadow.write_pipes.begin() + static_cast<int64_t>(last + 1),
                static_cast<uint8_t>(Index(pipe)));
    }
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
