// SPDX-License-Identifier: Apache-2.0
// The faults of values that nobody wrote: where they reach what others see or what decides.
#include "core_state.h"
#include "runs.h"
#include "values.h"

namespace sim {

uint64_t Values::BaseOf(Space space, uint64_t address) const {
  if (space != Space::GM) return 0;
  void *start = nullptr;
  uint64_t size = 0;
  core_->memory->Find(reinterpret_cast<const void *>(address), 1, &start, &size);
  return reinterpret_cast<uint64_t>(start);
}

std::string Values::RangeText(Space space, uint64_t begin, uint64_t end) const {
  if (space == kRegisterFile) return "a register";
  const uint64_t base = BaseOf(space, begin);
  return Range(space, static_cast<int64_t>(begin - base), static_cast<int64_t>(end - base)) +
         (space == Space::GM ? "" : core_->queues.OfBuffer(space, begin));
}

bool Values::Report(const BitRange &source, uint64_t hole, const std::string &does, uint32_t site_id) {
  const Site &site = core_->sites()[site_id];
  const uint64_t at = source.address + hole;
  const uint32_t id = source.space == Space::GM ? 0 : Map(source.space).Origin(at);
  const Site &through = id == 0 ? site : core_->sites()[origins_[id].last_site];
  if (core_->log.Known(FaultKind::kUninitialised, through, site)) return false;
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
  return core_->log.AddPair(FaultKind::kUninitialised, through, site, text);
}

void Values::JudgeOperand(const Operand &operand, const std::string &does, uint32_t site) {
  bool reported = false;
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    if (reported) return;
    const BitRange part{operand.space, begin, bytes};
    uint64_t hole = FirstHole(part);
    while (operand.use == Use::kPadding && hole < bytes && Map(operand.space).Origin(begin + hole) == 0) {
      ++hole;
      hole += FirstHole({operand.space, begin + hole, bytes - hole});
    }
    if (hole == bytes) return;
    Report(part, hole, does + operand.name + ", " + RangeText(operand.space, begin, begin + bytes), site);
    reported = true;
  });
}

bool Values::JudgeSinks(const Instruction &instruction, uint32_t site) {
  const Operand *global = nullptr;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write && operand.space == Space::GM) global = &operand;
  }
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (!Reads(instruction, operand)) continue;
    if (operand.use == Use::kAddress) {
      JudgeOperand(operand, "takes addresses from ", site);
    } else if (instruction.pipe == Pipe::S || operand.write) {
      JudgeOperand(operand, "reads ", site);
    } else if (global != nullptr) {
      const ByteRange extent = Extent(*global);
      const std::string to =
          RangeText(Space::GM, static_cast<uint64_t>(extent.begin), static_cast<uint64_t>(extent.end));
      JudgeOperand(operand, "writes " + std::string(global->name) + ", " + to + ", from ", site);
    }
  }
  return global != nullptr;
}

void Values::ReadRegisters(const char *name, Where where, const BitRange &registers) {
  if (!registers_have_holes_) return;
  const uint64_t hole = FirstHole(registers);
  if (hole < registers.bytes) {
    Report(registers, hole, "reads what the last instruction left in a register", core_->SiteOf(name, where));
  }
}

}  // namespace sim
