// SPDX-License-Identifier: Apache-2.0
#include "unit_flags.h"

#include <algorithm>
#include <set>

#include "../../engine/core_state.h"

namespace sim {
namespace {

constexpr uint64_t kUnit = 512;
constexpr uint8_t kKeep = 2, kChange = 3;  // values of unitFlag

// Calls function(flag, unit) for each unit of L0C that the instruction touches.
template <typename Function>
void ForUnits(Core &core, const Instruction &instruction, Function &&function) {
  std::vector<CoreState::UnitFlag> &flags = core.state().unit_flags;
  flags.resize(core.BytesOf(Space::L0C) / kUnit);
  std::set<uint64_t> units;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space != Space::L0C) continue;
    for (uint32_t group = 0; group < operand.groups; ++group) {
      for (uint32_t row = 0; row < operand.rows; ++row) {
        const uint64_t start = operand.address + group * operand.group_stride + row * operand.row_stride;
        for (uint64_t unit = start / kUnit; unit * kUnit < start + operand.row_bytes; ++unit)
          units.insert(unit);
      }
    }
  }
  for (const uint64_t unit : units) {
    if (unit < flags.size()) function(flags[unit], unit);
  }
}

}  // namespace

void CheckUnitFlag(Core &core, const char *name, uint8_t unit_flag, Where where) {
  if (unit_flag == 0 || unit_flag == kKeep || unit_flag == kChange) return;
  core.Fail(FaultKind::kOther, name, where, "unitFlag must be 0, 2 or 3, got " + std::to_string(unit_flag));
}

void AwaitUnitFlags(Core &core, const Instruction &instruction, uint8_t unit_flag) {
  if (unit_flag == 0) return;
  const bool reads = instruction.pipe == Pipe::FIX;
  std::set<uint32_t> tokens;
  ForUnits(core, instruction, [&](const CoreState::UnitFlag &flag, uint64_t unit) {
    if (flag.full != reads) {
      core.Fail(FaultKind::kFlag, instruction.name, instruction.where,
                "the unit flag of L0C offset " + std::to_string(unit * kUnit) +
                    (reads ? " is 0, so that the device would hang here: no Mmad with unitFlag 3 wrote there"
                           : " is 1, so that the device would hang here: no Fixpipe with unitFlag 3 read the "
                             "product before"));
    }
    if (flag.known) tokens.insert(flag.token);
  });
  const Pipe other = reads ? Pipe::M : Pipe::FIX;
  for (const uint32_t token : tokens) {
    core.state().WaitToken(other, instruction.pipe, token, instruction.where);
  }
}

void ChangeUnitFlags(Core &core, const Instruction &instruction, uint8_t unit_flag) {
  if (unit_flag != kChange) return;
  const bool full = instruction.pipe != Pipe::FIX;
  const Pipe other = full ? Pipe::FIX : Pipe::M;
  const uint32_t token = core.state().SetToken(instruction.pipe, other, instruction.where);
  ForUnits(core, instruction, [&](CoreState::UnitFlag &flag, uint64_t) { flag = {full, true, token}; });
}

void ClearUnitFlags(Core &core) { core.state().unit_flags.clear(); }

}  // namespace sim
