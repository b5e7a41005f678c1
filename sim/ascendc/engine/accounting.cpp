// SPDX-License-Identifier: Apache-2.0
// The counters of a core, and the events that the cost model replays.
#include "core_state.h"
#include "runs.h"
#include "vector_cost.h"

namespace sim {

namespace {

double LocalCopyCycles(const CostModel &cost, const Instruction &instruction) {
  double cycles = cost.local_copy_issue;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write) cycles += static_cast<double>(BytesOf(operand)) / cost.LocalCopyBytes(operand.space);
  }
  return cycles;
}

}  // namespace

double CoreState::ScalarCycles(const Instruction &instruction) {
  const CostModel &cost = model->cost;
  double cycles = cost.scalar_access;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space != Space::GM) continue;
    const uint64_t line = operand.address / 64;
    uint64_t &tag = cached_lines_[line % 256];
    if (tag != line) cycles += cost.scalar_line_miss;
    tag = line;
  }
  return cycles;
}

void CoreState::AddCopy(const Instruction &instruction, const Operand &gm, uint32_t site) {
  Event event;
  event.kind = Event::kCopy;
  event.pipe = instruction.pipe;
  event.write = gm.write;
  event.bypass = instruction.l2_bypass;
  event.site = site;
  event.scalar = static_cast<float>(pending_scalar_);
  event.address = gm.address;
  event.row_bytes = gm.row_bytes;
  event.rows = gm.rows * gm.groups;
  event.row_stride = gm.rows > 1 ? gm.row_stride : gm.group_stride;
  if (event.rows > 1 && event.row_stride == event.row_bytes) {
    event.row_bytes *= event.rows;
    event.rows = 1;
  }
  pending_scalar_ = 0;
  elapsed += model->cost.copy_issue + static_cast<double>(BytesOf(gm)) / model->cost.write_bytes;
  events.push_back(event);
}

void CoreState::Account(const Instruction &instruction, uint32_t site) {
  PipeCounters &pipe = counters.pipes[Index(instruction.pipe)];
  ++pipe.instructions;
  const Operand *gm = nullptr;
  uint64_t on_chip_bytes = 0;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    const uint64_t bytes = BytesOf(operand);
    if (operand.space != Space::GM) {
      on_chip_bytes += bytes;
      continue;
    }
    gm = &operand;
    (operand.write ? counters.gm_write_bytes : counters.gm_read_bytes) += bytes;
  }
  pipe.bytes += gm != nullptr ? BytesOf(*gm) : on_chip_bytes;
  if (instruction.work == Work::kVector) pipe.repeats += instruction.repeats;

  const CostModel &cost = model->cost;
  if (instruction.pipe == Pipe::S) {
    if (instruction.work == Work::kScalar) ++counters.scalar_accesses;
    const double cycles = instruction.work == Work::kScalar ? ScalarCycles(instruction) : cost.issue;
    pending_scalar_ += cycles;
    elapsed += cycles;
    return;
  }
  pending_scalar_ += cost.issue;
  elapsed += cost.issue;
  if (!options->cost) return;
  if (gm != nullptr) {
    AddCopy(instruction, *gm, site);
    return;
  }
  double cycles = 0;
  double latency = 0;
  double conflict = 0;
  switch (instruction.work) {
    case Work::kVector: {
      const VectorCycles vector = vector_costs_.Of(*model, instruction);
      cycles = vector.total;
      conflict = vector.conflict;
      break;
    }
    case Work::kCopy:
    case Work::kLocalCopy:
      cycles = LocalCopyCycles(cost, instruction);
      latency = cost.local_copy_latency;
      break;
    case Work::kCube:
      cycles = cost.cube_startup + static_cast<double>(instruction.steps);
      latency = cost.cube_latency;
      break;
    default:
      break;
  }
  elapsed += cycles + latency;
  Event event;
  event.kind = Event::kWork;
  event.pipe = instruction.pipe;
  event.site = site;
  event.scalar = static_cast<float>(pending_scalar_);
  event.cycles = static_cast<float>(cycles);
  event.latency = static_cast<float>(latency);
  event.conflict = static_cast<float>(conflict);
  event.row_bytes = static_cast<uint32_t>(std::min<uint64_t>(on_chip_bytes, UINT32_MAX));
  event.rows = 1;
  pending_scalar_ = 0;
  events.push_back(event);
}

void CoreState::AddEvent(Event::Kind kind, Pipe pipe, uint32_t token, uint32_t site) {
  Step(false, true, site);
  pending_scalar_ += model->cost.issue;
  elapsed += model->cost.issue;
  if (!options->cost) return;
  Event event;
  event.kind = kind;
  event.pipe = pipe;
  event.token = token;
  event.site = site;
  event.scalar = static_cast<float>(pending_scalar_);
  pending_scalar_ = 0;
  events.push_back(event);
}

}  // namespace sim
