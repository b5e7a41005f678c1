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

Values::LateKey Values::KeyOf(FaultKind kind, const BitRange &source, uint64_t hole, uint32_t site) {
  const uint32_t id = source.space == Space::GM ? 0 : Map(source.space).Origin(source.address + hole);
  return {kind, id == 0 ? site : origins_[id].last_site, site};
}

bool Values::Told(const LateKey &key, bool late) {
  const auto &[kind, through, site] = key;
  if (core_->log.Known(kind, core_->sites()[through], core_->sites()[site])) return true;
  if (!late) return false;
  touched_.push_back(key);
  return late_.count(key) != 0;
}

std::string Values::TextOf(const LateKey &key, const BitRange &source, uint64_t hole,
                           const std::string &does) {
  const auto &[kind, through, site] = key;
  const uint64_t at = source.address + hole;
  const uint32_t id = source.space == Space::GM ? 0 : Map(source.space).Origin(at);
  std::string text = Describe(core_->sites()[site]) + " " + does + ", ";
  if (id == 0) return text + "but nothing wrote byte " + std::to_string(at - BaseOf(source.space, at));
  const Origin &origin = origins_[id];
  text += source.space == kRegisterFile ? "but it" : "but byte " + std::to_string(at);
  text +=
      " comes from " + origin.bytes + ", which nothing wrote, through " + Describe(core_->sites()[through]);
  if (origin.first_site != origin.last_site) {
    text += "; " + Describe(core_->sites()[origin.first_site]) + " read it first";
  }
  return text;
}

void Values::Report(FaultKind kind, const BitRange &source, uint64_t hole, const std::string &does,
                    uint32_t site) {
  const LateKey key = KeyOf(kind, source, hole, site);
  if (!Told(key, false)) AddLate(key, TextOf(key, source, hole, does));
}

void Values::JudgeLate() {
  for (const auto &[key, fault] : late_) {
    const auto seen = [this](const BitRange &part) {
      const bool left = part.address >= core_->options->workspace_begin &&
                        part.address + part.bytes <= core_->options->workspace_end;
      return !left && FirstHole(part) != part.bytes;
    };
    if (std::any_of(fault.parts.begin(), fault.parts.end(), seen)) AddLate(key, fault.text);
  }
  late_.clear();
}

void Values::AddLate(const LateKey &key, const std::string &text) {
  const auto &[kind, through, site] = key;
  core_->log.AddPair(kind, core_->sites()[through], core_->sites()[site], text);
}

// Follows an instruction's undefined values to global memory, for its late faults. From `behind` on nobody
// looks; 0: everywhere. Where nobody knows which bytes they reach, they are faults at once.
void Values::NoteParts(const Instruction &instruction, uint32_t site, uint64_t behind) {
  Spread(instruction, site);
  bool known = false;
  std::vector<BitRange> parts;
  for (const Result &result : results_) {
    BitRange part = result.part;
    if (part.space != Space::GM) continue;
    known = true;
    if (behind != 0 && part.address >= behind) continue;
    if (behind != 0) part.bytes = std::min(part.bytes, behind - part.address);
    parts.push_back(part);
  }
  for (const LateKey &key : touched_) {
    LateFault &fault = late_[key];
    fault.parts.insert(fault.parts.end(), parts.begin(), parts.end());
    late_parts_ += parts.size();
    if (!known) AddLate(key, fault.text);
  }
  if (late_parts_ > most_late_parts_) DropWrittenParts();
}

// Keeps each part once, and only where it still has bytes that nobody wrote.
void Values::DropWrittenParts() {
  late_parts_ = 0;
  for (auto &entry : late_) {
    std::vector<BitRange> &parts = entry.second.parts;
    std::sort(parts.begin(), parts.end(), [](const BitRange &a, const BitRange &b) {
      return std::tie(a.address, a.bytes) < std::tie(b.address, b.bytes);
    });
    const auto same = [](const BitRange &a, const BitRange &b) {
      return a.address == b.address && a.bytes == b.bytes;
    };
    parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
    const auto written = [this](const BitRange &part) { return FirstHole(part) == part.bytes; };
    parts.erase(std::remove_if(parts.begin(), parts.end(), written), parts.end());
    late_parts_ += parts.size();
  }
  most_late_parts_ = std::max(most_late_parts_, 2 * late_parts_);
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

void Values::JudgeOperand(const Operand &operand, const Doing &doing, uint32_t site) {
  bool judged = false;
  uint64_t left = doing.free == 0 ? UINT64_MAX : BytesOf(operand) - doing.free;
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    bytes = std::min(bytes, left);
    left -= bytes;
    if (judged) return;
    const BitRange part{operand.space, begin, bytes};
    uint64_t hole = FirstHole(part);
    while (operand.use == Use::kPadding && hole < bytes && Map(operand.space).Origin(begin + hole) == 0) {
      ++hole;
      hole += FirstHole({operand.space, begin + hole, bytes - hole});
    }
    if (hole == bytes) return;
    judged = true;
    const LateKey key = KeyOf(FaultKind::kUninitialised, part, hole, site);
    if (Told(key, doing.late)) return;
    std::string does = doing.verb;
    if (doing.written != nullptr) {
      const ByteRange to = Extent(*doing.written);
      does += std::string(doing.written->name) + ", " +
              RangeText(Space::GM, static_cast<uint64_t>(to.begin), static_cast<uint64_t>(to.end)) +
              ", from ";
    }
    does += std::string(operand.name) + ", " + RangeText(operand.space, begin, begin + bytes);
    const std::string text = TextOf(key, part, hole, does);
    if (doing.late) {
      late_[key].text = text;
    } else {
      AddLate(key, text);
    }
  });
}

bool Values::JudgeSinks(const Instruction &instruction, uint32_t site) {
  const Operand *global = nullptr;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write && operand.space == Space::GM) global = &operand;
  }
  touched_.clear();
  uint64_t behind = 0;
  const uint64_t free = global == nullptr ? 0 : BytesInPadding(*global, &behind);
  bool free_source = false;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (!Reads(instruction, operand)) continue;
    const uint64_t unseen = free != 0 && BytesOf(operand) == BytesOf(*global) ? free : 0;
    if (operand.use == Use::kAddress) {
      JudgeOperand(operand, {"takes addresses from "}, site);
    } else if (instruction.pipe == Pipe::S) {
      JudgeScalarRead(instruction, operand, site);
    } else if (operand.write) {
      JudgeOperand(operand, {"reads ", nullptr, unseen}, site);
    } else if (global != nullptr) {
      const bool late = instruction.atomic == 0 && operand.use != Use::kPadding;
      JudgeOperand(operand, {"writes ", global, unseen, late}, site);
      free_source = free_source || unseen != 0;
    }
  }
  if (!touched_.empty()) NoteParts(instruction, site, free == 0 ? 0 : behind);
  if (free_source) AddResult({Space::GM, behind, free}, 0);
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
