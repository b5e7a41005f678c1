// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include "core_state.h"
#include "runs.h"

namespace sim {

Values::Values(CoreState *core) : core_(core) {}

void Values::Release() {
  if (taken_) SettleTaken(nullptr);
  for (ValueMap &map : maps_) map = {};
  origins_ = std::vector<Origin>(1);
  roots_.clear();
  steps_.clear();
}

ValueMap &Values::Map(Space space) {
  ValueMap &map = maps_[Index(space)];
  if (map.bytes() != 0) return map;
  map.Reset(space == kRegisterFile ? kRegisterBytes : core_->model->bytes[Index(space)]);
  if (space == kRegisterFile) map.Define(0, kRegisterBytes);
  return map;
}

bool Values::Reads(const Instruction &instruction, const Operand &operand) {
  return !operand.write || (instruction.atomic != 0 && operand.space == Space::GM);
}

bool Values::Defined(const Operand &operand) {
  bool defined = true;
  if (operand.space == Space::GM) {
    ForEachPlace(operand, [&](uint64_t begin, uint64_t bytes) {
      defined =
          defined && core_->memory->FirstUnwritten(reinterpret_cast<const void *>(begin), bytes) == bytes;
    });
    return defined;
  }
  const ValueMap &map = Map(operand.space);
  // Mostly all is defined from the first to the last byte, which takes one look.
  const ByteRange extent = Extent(operand);
  if (extent.begin >= 0 && extent.end <= static_cast<int64_t>(map.bytes()) &&
      map.Defined(static_cast<uint64_t>(extent.begin), static_cast<uint64_t>(extent.end - extent.begin))) {
    return true;
  }
  ForEachPlace(operand,
               [&](uint64_t begin, uint64_t bytes) { defined = defined && map.Defined(begin, bytes); });
  return defined;
}

void Values::Follow(const Instruction &instruction, uint32_t site) {
  if (taken_) SettleTaken(&instruction);
  bool spreads = instruction.flow_map != nullptr && (registers_have_holes_ || instruction.leaves_holes);
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (Reads(instruction, operand) && !Defined(operand)) spreads = true;
  }
  if (!spreads) return;
  current_ = &instruction;
  if (!JudgeSinks(instruction, site)) Spread(instruction, site);
  last_root_ = {};
}

void Values::Write(const Operand &operand) {
  if (operand.space == Space::GM) {
    ForEachPlace(operand, [this](uint64_t begin, uint64_t bytes) {
      core_->memory->MarkWritten(reinterpret_cast<const void *>(begin), bytes);
    });
    return;
  }
  ValueMap &map = Map(operand.space);
  ForEachPlace(operand, [&map](uint64_t begin, uint64_t bytes) { map.Define(begin, bytes); });
}

void Values::AddResult(const BitRange &part, uint32_t origin) {
  if (!results_.empty()) {
    Result &last = results_.back();
    if (last.origin == origin && last.part.space == part.space && last.part.bits == part.bits &&
        last.part.address + last.part.bytes == part.address) {
      last.part.bytes += part.bytes;
      return;
    }
  }
  results_.push_back({part, origin});
}

void Values::SettleResults() {
  for (const Result &result : results_) {
    const BitRange &part = result.part;
    if (part.space == Space::GM) {
      core_->memory->MarkUnwritten(reinterpret_cast<const void *>(part.address), part.bytes);
      continue;
    }
    Map(part.space).Undefine(part.address, part.bytes, part.bits, result.origin);
    registers_have_holes_ = registers_have_holes_ || part.space == kRegisterFile;
  }
  results_.clear();
}

uint64_t Values::FirstHole(const BitRange &source) {
  if (source.space == Space::GM) {
    return core_->memory->FirstUnwritten(reinterpret_cast<const void *>(source.address), source.bytes);
  }
  return Map(source.space).FirstHole(source.address, source.bytes, source.bits);
}

// Bytes that nobody wrote: those that the operand reads from `byte` on.
uint32_t Values::RootOf(Space space, uint64_t byte, uint32_t site) {
  if (space == last_root_.space && byte >= last_root_.begin && byte < last_root_.end)
    return last_root_.origin;
  uint64_t end = byte + 1;
  for (int i = 0; i < current_->operand_count; ++i) {
    const Operand &operand = current_->operands[i];
    const ByteRange extent = Extent(operand);
    const auto at = static_cast<int64_t>(byte);
    if (!operand.write && operand.space == space && extent.begin <= at && at < extent.end) {
      end = static_cast<uint64_t>(extent.end);
    }
  }
  const auto [entry, added] = roots_.try_emplace(std::tuple(space, end, site), origins_.size());
  if (added) origins_.push_back({RangeText(space, byte, end), site, site, entry->second});
  last_root_ = {space, byte, end, entry->second};
  return entry->second;
}

uint32_t Values::OriginOf(Space space, uint64_t byte, uint32_t site) {
  uint32_t origin = space == Space::GM ? 0 : Map(space).Origin(byte);
  if (origin == 0) return RootOf(space, byte, site);
  if (origins_[origin].last_site == site) return origin;
  const auto [entry, added] = steps_.try_emplace(std::pair(origins_[origin].root, site), origins_.size());
  if (added) {
    Origin next = origins_[origin];
    next.last_site = site;
    origins_.push_back(std::move(next));
  }
  return entry->second;
}

void Values::Store(const BitRange &result, const BitRange &registers) {
  if (!registers_have_holes_) return;
  const uint64_t hole = FirstHole(registers);
  if (hole == registers.bytes) return;
  const uint32_t origin = Map(kRegisterFile).Origin(registers.address + hole);
  Map(result.space).Undefine(result.address, result.bytes, result.bits, origin);
}

bool Flows::Undefined(const BitRange &source) const { return values_->FirstHole(source) < source.bytes; }

void Flows::Depend(const BitRange &result, const BitRange &source) {
  const uint64_t hole = values_->FirstHole(source);
  if (hole == source.bytes) return;
  values_->AddResult(result, values_->OriginOf(source.space, source.address + hole, site_));
}

void Flows::Move(const BitRange &result, const BitRange &source) {
  values_->SpreadBits(ValueFlow::kBits, result, source, nullptr, site_);
}

void Flows::Undefine(const BitRange &result) { values_->AddResult(result, 0); }

void Flows::Define(const BitRange &registers) {
  ValueMap &map = values_->Map(kRegisterFile);
  for (uint64_t i = 0; i < registers.bytes; ++i) map.DefineBits(registers.address + i, registers.bits);
  values_->registers_have_holes_ = !map.Defined(0, kRegisterBytes);
}

void Flows::Decide(const BitRange &source, const char *does) {
  const uint64_t hole = values_->FirstHole(source);
  if (hole < source.bytes) values_->Report(FaultKind::kUninitialised, source, hole, does, site_);
}

}  // namespace sim
