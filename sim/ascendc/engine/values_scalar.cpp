// SPDX-License-Identifier: Apache-2.0
// Words that the scalar unit takes from the chip. Nobody can follow the variables of a kernel's C++ code, so
// that a word without a value is a fault, with one exception: where the very next instruction of the core
// stores the same bits in UB, the two are a copy, and the value is followed further. So are the stores of the
// same bits that follow at once.
#include <cstring>

#include "core_state.h"
#include "runs.h"
#include "values.h"

namespace sim {

// A word of bits, such as the result of Compare, often ends behind the last lane. A kernel may read it and
// use the bits that have a value. Of a number no bits count alone.
FaultKind Values::KindOf(const Instruction &instruction, const BitRange &word) {
  const bool bits = instruction.flow == ValueFlow::kBits && word.space != Space::GM;
  for (uint64_t at = 0; bits && at < word.bytes; ++at) {
    if (Map(word.space).Holes(word.address + at) != 0xFF) return FaultKind::kPartlyWritten;
  }
  return FaultKind::kUninitialised;
}

void Values::JudgeScalarRead(const Instruction &instruction, const Operand &operand, uint32_t site) {
  ForEachRun(operand, [&](uint64_t begin, uint64_t bytes) {
    const BitRange word{operand.space, begin, bytes};
    const uint64_t hole = FirstHole(word);
    if (hole == bytes) return;
    const LateKey key = KeyOf(KindOf(instruction, word), word, hole, site);
    const bool told = Told(key, false);
    const std::string does =
        std::string("reads ") + operand.name + ", " + RangeText(operand.space, begin, begin + bytes);
    const std::string text = told ? "" : TextOf(key, word, hole, does);
    if (operand.space == Space::UB && bytes <= sizeof(TakenWord::value)) {
      Take(word, OriginOf(word.space, begin + hole, site), {key, text});
    } else if (!told) {
      AddLate(key, text);
    }
  });
}

void Values::Take(const BitRange &word, uint32_t origin, const std::pair<LateKey, std::string> &fault) {
  taken_ = TakenWord{fault, origin, word.bytes, {}, {}, {}, false};
  std::memcpy(taken_->value, core_->Memory(word.space, word.address), word.bytes);
  for (uint64_t at = 0; at < word.bytes; ++at) taken_->holes[at] = Map(word.space).Holes(word.address + at);
}

void Values::SettleTaken(const Instruction *next) {
  bool stored = next != nullptr && next->pipe == Pipe::S && next->operand_count == 1 &&
                next->operands[0].write && next->operands[0].space == Space::UB &&
                BytesOf(next->operands[0]) == taken_->bytes;
  if (taken_->stored_at) {
    const bool same =
        std::memcmp(core_->Memory(Space::UB, *taken_->stored_at), taken_->value, taken_->bytes) == 0;
    for (uint64_t at = 0; same && at < taken_->bytes; ++at) {
      if (taken_->holes[at] != 0)
        Map(Space::UB).Undefine(*taken_->stored_at + at, 1, taken_->holes[at], taken_->origin);
    }
    taken_->copied = taken_->copied || same;
    stored = stored && same;
  }
  if (stored) {
    taken_->stored_at = next->operands[0].address;  // the instruction has not written there yet
    return;
  }
  const TakenWord taken = *taken_;
  taken_.reset();
  if (!taken.copied && !Told(taken.fault.first, false)) AddLate(taken.fault.first, taken.fault.second);
}

}  // namespace sim
