// SPDX-License-Identifier: Apache-2.0
// The faults of values that nobody wrote: where they reach what others see or what decides.
#include <algorithm>

#include "core_state.h"
#include "runs.h"
#include "values.h"

namespace sim {

uint64_t Values::BaseOf(Space space, uint64_t address) const {
  if (space != Space::GM) return 0;
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  core_->memory->FindPadded(reinterpret_cast<const void *>(address), 1, &start, &size, &padding);
  return reinterpret_cast<uint64_t>(start);
}

std::string Values::RangeText(Space space, uint64_t begin, uint64_t end) const {
  if (space == kRegisterFile) return "a register";
  const uint64_t base = BaseOf(space, begin);
  return Range(space, static_cast<int64_t>(begin - base), static_cast<int64_t>(end - base)) +
         (space == Space::GM ? "" : core_->queues.OfBuffer(space, begin));
}

bool Values::Report(FaultKind kind, const BitRange &source, uint64_t hole, const std::string &does,
                    uint32_t site_id, bool late) {
  const Site &site = core_->sites()[site_id];
  const uint64_t at = source.address + hole;
  const uint32_t id = source.space == Space::GM ? 0 : Map(source.space).Origin(at);
  const uint32_t through_id = id == 0 ? site_id : origins_[id].last_site;
  const Site &through = core_->sites()[through_id];
  if (core_->log.Known(kind, through, site)) return false;
  std::string text = Describe(site) + " " + does + ", ";
  if (id == 0) {
    text += "but nothing wrote byte " + std::to_string(at - BaseOf(source.space, at));
  } else {
    const Origin &origin = origins_[id];
    text += source.space == kRegisterFile ? "but it" : "but byte " + std::to_string(at);
    text += " comes from " + origin.bytes + ", which nothing wrote, through " + Describe(through);
    if (origin.first_site != origin.last_site) {
      text += "; " + Describe(core_->sites()[origin.first_site]) + " read it first";
    }
  }
  if (late) {
    late_.push_back({kind, through_id, site_id, std::move(text), {}});
    return true;
  }
  return core_->log.AddPair(kind, through, site, text);
}

void Values::JudgeLate() {
  for (const LateFault &fault : late_) {
    for (const BitRange &part : fault.parts) {
      if (FirstHole(part) == part.bytes) continue;
      AddLate(fault);
      break;
    }
  }
  late_.clear();
}

void Values::AddLate(const LateFault &fault) {
  core_->log.AddPair(fault.kind, core_->sites()[fault.through], core_->sites()[fault.site], fault.text);
}

// Follows an instruction's undefined values to global memory, for the late faults from the number `first` on.
// From `behind` on nobody looks; 0: everywhere. Where nobody knows which bytes they reach, they are faults at
// once.
void Values::NoteParts(const Instruction &instruction, uint32_t site, size_t first, uint64_t behind) {
  Spread(instruction, site);
  std::vector<BitRange> parts;
  for (const Result &result : results_) {
    BitRange part = result.part;
    if (part.space != Space::GM || (behind != 0 && part.address >= behind)) continue;
    if (behind != 0) part.bytes = std::min(part.bytes, behind - part.address);
    parts.push_back(part);
  }
  for (size_t i = first; i < late_.size(); ++i) {
    late_[i].parts = parts;
    if (parts.empty()) AddLate(late_[i]);
  }
  if (parts.empty()) late_.resize(first);
}

// How many bytes at the end of the operand lie behind what was asked of aclrtMalloc, where nobody looks.
//
//     |<- asked ->|<- padding ->|
//           |~~~~~~~~~~~|           the last run of the operand
uint64_t Values::BytesInPadding(const Operand &global, uint64_t *begin) const {
  const ByteRange extent = Extent(global);
  if (core_->InAllocation(static_cast<uint64_t>(extent.begin), static_cast<uint64_t>(extent.end))) return 0;
  uint64_t last = 0, bytes = 0;
  ForEachRun(global, [&](uint64_t run, uint64_t length) {
    last = run;
    bytes = length;
  });
  void *start = nullptr;
  uint64_t size = 0, padding = 0;
  if (!core_->memory->FindPadded(reinterpret_cast<const void *>(last), bytes, &start, &size, &padding))
    return 0;
  *begin = std::max(last, reinterpret_cast<uint64_t>(start) + size);
  return last + bytes > *begin ? last + bytes - *begin : 0;
}

void Values::JudgeOperand(const Operand &operand, const std::string &does, uint32_t site, uint64_t free,
                          bool late) {
  bool reported = false;
  uint64_t left = free == 0 ? UINT64_MAX : BytesOf(operand) - free;
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    bytes = std::min(bytes, left);
    left -= bytes;
    if (reported) return;
    const BitRange part{operand.space, begin, bytes};
    uint64_t hole = FirstHole(part);
    while (operand.use == Use::kPadding && hole < bytes && Map(operand.space).Origin(begin + hole) == 0) {
      ++hole;
      hole += FirstHole({operand.space, begin + hole, bytes - hole});
    }
    if (hole == bytes) return;
    Report(FaultKind::kUninitialised, part, hole,
           does + operand.name + ", " + RangeText(operand.space, begin, begin + bytes), site, late);
    reported = true;
  });
}

// A word of bits, such as the result of Compare, often ends behind the last lane. A kernel may read it and
// use the bits that have a value.
FaultKind Values::KindOf(const BitRange &word) {
  for (uint64_t at = 0; word.space != Space::GM && at < word.bytes; ++at) {
    if (Map(word.space).Holes(word.address + at) != 0xFF) return FaultKind::kPartlyWritten;
  }
  return FaultKind::kUninitialised;
}

void Values::JudgeScalarRead(const Operand &operand, uint32_t site) {
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    const BitRange word{operand.space, begin, bytes};
    const uint64_t hole = FirstHole(word);
    if (hole == bytes) return;
    Report(KindOf(word), word, hole,
           std::string("reads ") + operand.name + ", " + RangeText(operand.space, begin, begin + bytes),
           site);
  });
}

bool Values::JudgeSinks(const Instruction &instruction, uint32_t site) {
  const Operand *global = nullptr;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write && operand.space == Space::GM) global = &operand;
  }
  const size_t known = late_.size();
  uint64_t behind = 0;
  const uint64_t free = global == nullptr ? 0 : BytesInPadding(*global, &behind);
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (!Reads(instruction, operand)) continue;
    const uint64_t unseen = free != 0 && BytesOf(operand) == BytesOf(*global) ? free : 0;
    if (operand.use == Use::kAddress) {
      JudgeOperand(operand, "takes addresses from ", site);
    } else if (instruction.pipe == Pipe::S) {
      JudgeScalarRead(operand, site);
    } else if (operand.write) {
      JudgeOperand(operand, "reads ", site, unseen);
    } else if (global != nullptr) {
      const ByteRange extent = Extent(*global);
      const std::string to =
          RangeText(Space::GM, static_cast<uint64_t>(extent.begin), static_cast<uint64_t>(extent.end));
      const bool late = instruction.atomic == 0 && operand.use != Use::kPadding && known < kMostLate;
      JudgeOperand(operand, "writes " + std::string(global->name) + ", " + to + ", from ", site, unseen,
                   late);
      if (unseen != 0) AddResult({Space::GM, behind, unseen}, 0);
    }
  }
  if (late_.size() > known) NoteParts(instruction, site, known, free == 0 ? 0 : behind);
  return global != nullptr;
}

void Values::ReadRegisters(const char *name, Where where, const BitRange &registers) {
  if (!registers_have_holes_) return;
  const uint64_t hole = FirstHole(registers);
  if (hole < registers.bytes) {
    Report(FaultKind::kUninitialised, registers, hole, "reads what the last instruction left in a register",
           core_->SiteOf(name, where));
  }
}

}  // namespace sim
