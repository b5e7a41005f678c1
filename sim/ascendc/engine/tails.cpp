// SPDX-License-Identifier: Apache-2.0
#include "tails.h"

#include <algorithm>
#include <cstring>

#include "runs.h"

namespace sim {
namespace {

constexpr uint64_t kMostRows = 64;  // of a copy with tails; those of longer ones count as used

// The operand of a copy of whole blocks from GM to UB that lies in this memory; null: the instruction is
// none.
const Operand *SideOf(const Instruction &instruction, Space space) {
  if (instruction.pipe != Pipe::MTE2 || std::strcmp(instruction.name, "DataCopy") != 0) return nullptr;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space == space && operand.write == (space == Space::UB)) return &operand;
  }
  return nullptr;
}

}  // namespace

void Tails::Release() {
  pages_ = {};
  parts_ = 0;
}

void Tails::Follow(const Instruction &instruction, uint32_t copy) {
  results_.clear();
  if (parts_ != 0) Spread(instruction);
  for (int i = 0; parts_ != 0 && i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (!operand.write || !Touches(operand)) continue;
    ForEachPlace(operand, [this](uint64_t begin, uint64_t bytes) { Drop(begin, bytes); });
  }
  for (const Part &part : results_) Put(part);
  const Operand *const global = SideOf(instruction, Space::GM);
  const Operand *const local = SideOf(instruction, Space::UB);
  if (global != nullptr && local != nullptr) Begin(*global, *local, copy);
}

// What the bytes [begin, end) of the part depend on.
Tails::Part Tails::Slice(const Part &part, uint64_t begin, uint64_t end) {
  const uint64_t low = (begin - part.begin) * part.count / part.bytes;
  const uint64_t high = ((end - part.begin) * part.count + part.bytes - 1) / part.bytes;
  return {begin, static_cast<uint32_t>(end - begin), part.tail, part.first + static_cast<uint32_t>(low),
          static_cast<uint32_t>(high - low)};
}

bool Tails::Touches(const Operand &operand) const {
  if (operand.space != Space::UB) return false;
  const ByteRange extent = Extent(operand);
  const uint64_t end =
      std::min<uint64_t>(pages_.size(), (static_cast<uint64_t>(extent.end) + kPageBytes - 1) / kPageBytes);
  for (uint64_t page = static_cast<uint64_t>(extent.begin) / kPageBytes; page < end; ++page) {
    if (!pages_[page].empty()) return true;
  }
  return false;
}

// Calls visit for what the parts have of these bytes.
template <typename Visit>
void Tails::ForEachPart(uint64_t begin, uint64_t bytes, Visit &&visit) const {
  const uint64_t end = begin + bytes;
  for (uint64_t page = begin / kPageBytes; page * kPageBytes < end && page < pages_.size(); ++page) {
    for (const Part &part : pages_[page]) {
      const uint64_t low = std::max(begin, part.begin), high = std::min(end, part.begin + part.bytes);
      if (low < high) visit(Slice(part, low, high));
    }
  }
}

void Tails::Spread(const Instruction &instruction) {
  bool touched = false;
  for (int i = 0; i < instruction.operand_count; ++i) {
    touched = touched || (!instruction.operands[i].write && Touches(instruction.operands[i]));
  }
  if (!touched) return;
  const Values::Sides sides = Values::SidesOf(instruction);
  const bool by_lanes = instruction.pipe != Pipe::S && instruction.flow_map == nullptr &&
                        instruction.flow != ValueFlow::kAll && sides.results.size() == 1 &&
                        sides.results[0].space == Space::UB;
  for (const Values::Runs &source : sides.sources) {
    if (source.space != Space::UB) continue;
    const bool together = by_lanes && source.use != Use::kAddress &&
                          Values::SameLanes(instruction.flow, sides.results[0], source);
    if (together) {
      SpreadLanes(instruction.flow, sides.results[0], source);
    } else {
      Use(source);
    }
  }
}

void Tails::SpreadLanes(ValueFlow flow, const Values::Runs &result, const Values::Runs &source) {
  const uint64_t from = flow == ValueFlow::kLanes ? source.lane_bytes : 1;
  const uint64_t to = flow == ValueFlow::kLanes ? result.lane_bytes : 1;
  uint64_t before = 0;  // bytes of the source
  for (const auto &[begin, bytes] : source.runs) {
    ForEachPart(begin, bytes, [&, start = begin](const Part &part) {
      const uint64_t place = before + part.begin - start;
      const uint64_t low = place / from * to;
      const uint64_t high = (place + part.bytes + from - 1) / from * to;
      const Part moved{low, static_cast<uint32_t>(high - low), part.tail, part.first, part.count};
      uint64_t passed = 0;  // bytes of the result
      for (const auto &[address, length] : result.runs) {
        const uint64_t first = std::max(low, passed), last = std::min(high, passed + length);
        if (first < last) {
          results_.push_back(Slice(moved, first, last));
          results_.back().begin = address + first - passed;
        }
        passed += length;
        if (passed >= high) break;
      }
    });
    before += bytes;
  }
}

void Tails::Use(const Part &part) {
  for (uint32_t byte = part.first; byte < part.first + part.count; ++byte)
    log_->tails[part.tail] |= 1U << byte;
}

void Tails::Use(const Values::Runs &source) {
  for (const auto &[begin, bytes] : source.runs)
    ForEachPart(begin, bytes, [this](const Part &part) { Use(part); });
}

void Tails::Drop(uint64_t begin, uint64_t bytes) {
  const uint64_t end = begin + bytes;
  for (uint64_t page = begin / kPageBytes; page * kPageBytes < end && page < pages_.size(); ++page) {
    std::vector<Part> &parts = pages_[page];
    for (size_t i = 0; i < parts.size();) {
      const Part part = parts[i];
      const uint64_t part_end = part.begin + part.bytes;
      if (part_end <= begin || part.begin >= end) {
        ++i;
        continue;
      }
      parts[i] = parts.back();
      parts.pop_back();
      --parts_;
      // What is left of it lies outside of [begin, end), so that this loop passes it.
      for (const auto &[low, high] : {std::pair(part.begin, std::max(begin, part.begin)),
                                      std::pair(std::min(end, part_end), part_end)}) {
        if (low >= high) continue;
        parts.push_back(Slice(part, low, high));
        ++parts_;
      }
    }
  }
}

void Tails::Put(const Part &part) {
  if (log_->tails[part.tail] == ~0U) return;  // nothing is left to find
  const uint64_t end = part.begin + part.bytes;
  for (uint64_t low = part.begin; low < end;) {
    const uint64_t page = low / kPageBytes;
    const uint64_t high = std::min(end, (page + 1) * kPageBytes);
    if (pages_.size() <= page) pages_.resize(page + 1);
    const Part slice = Slice(part, low, high);
    if (pages_[page].size() < kMostParts) {
      pages_[page].push_back(slice);
      ++parts_;
    } else {
      Use(slice);
    }
    low = high;
  }
}

// Each row of the copy has a tail; rows without a gap between them are one row.
void Tails::Begin(const Operand &global, const Operand &local, uint32_t copy) {
  GmAccess &access = log_->accesses[copy];
  const uint64_t row_bytes = access.rows == 1 ? BytesOf(global) : access.row_bytes;
  if (access.rows > kMostRows || global.groups != 1 || row_bytes % GmAccess::kTailBytes != 0) return;
  access.tails = static_cast<uint32_t>(log_->tails.size());
  log_->tails.resize(log_->tails.size() + access.rows, 0);
  uint64_t before = 0, tail = row_bytes - GmAccess::kTailBytes;
  uint32_t row = 0;
  ForEachRun(local, [&](uint64_t begin, uint64_t bytes) {
    for (; row < access.rows && tail < before + bytes; ++row, tail += row_bytes) {
      Put({begin + tail - before, GmAccess::kTailBytes, access.tails + row, 0, GmAccess::kTailBytes});
    }
    before += bytes;
  });
}

}  // namespace sim
