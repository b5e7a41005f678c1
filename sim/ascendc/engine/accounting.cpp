// SPDX-License-Identifier: Apache-2.0
// The counters of a core, and the events that the cost model replays.
#include "core_state.h"
#include "runs.h"
#include "vector_cost.h"

namespace sim {

namespace {

Cycles LocalCopyCycles(const CostModel &cost, const Instruction &instruction) {
  Cycles cycles = Cycles::Of(cost.local_copy_issue);
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write) {
      cycles += Cycles::At(cost.LocalCopyBytes(operand.space), static_cast<double>(BytesOf(operand)));
    }
  }
  return cycles;
}

}  // namespace

Cycles CoreState::ScalarCycles(const Instruction &instruction) {
  const CostModel &cost = model->cost;
  // Reads follow each other; what comes behind them waits for their values.
  bool reads = true;
  for (int i = 0; i < instruction.operand_count; ++i) reads = reads && !instruction.operands[i].write;
  Cycles cycles = Cycles::Of(cost.scalar_access);
  if (!reads) {
    cycles += ScalarWait();
    ++scalar_writes_;
  }
  scalar_loading_ = reads;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space != Space::GM) continue;
    const uint64_t line = operand.address / 64;
    uint64_t &tag = cached_lines_[line % 256];
    if (tag != line) cycles += Cycles::Of(cost.scalar_line_miss);
    tag = line;
  }
  return cycles;
}

Cycles CoreState::ScalarWait() {
  const Cycles cycles = scalar_loading_ ? Cycles::Of(model->cost.scalar_wait) : Cycles();
  scalar_loading_ = false;
  return cycles;
}

void CoreState::Pass(const Cycles &scalar) {
  pending_scalar_ += scalar;
  elapsed += scalar.count;
}

void CoreState::TakePendingScalar(Event *event) {
  event->scalar = static_cast<float>(pending_scalar_.count);
  event->scalar_off = static_cast<float>(pending_scalar_.off);
  pending_scalar_ = {};
}

void CoreState::AddCopy(const Instruction &instruction, const Operand &gm, uint32_t site) {
  Event event;
  event.kind = Event::kCopy;
  event.pipe = instruction.pipe;
  event.write = gm.write;
  event.bypass = instruction.l2_bypass;
  event.site = site;
  TakePendingScalar(&event);
  event.address = gm.address;
  event.row_bytes = gm.row_bytes;
  event.rows = gm.rows * gm.groups;
  event.row_stride = gm.rows > 1 ? gm.row_stride : gm.group_stride;
  event.converts = instruction.converts;
  // Rows that follow each other are one, but where each is converted by itself.
  if (!event.converts && event.rows > 1 && event.row_stride == event.row_bytes) {
    event.row_bytes *= event.rows;
    event.rows = 1;
  }
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
    Pass(instruction.work == Work::kScalar ? ScalarCycles(instruction) : Cycles::Of(cost.issue));
    return;
  }
  Pass(Cycles::Of(cost.issue) + ScalarWait());
  if (!options->cost) return;
  if (gm != nullptr) {
    AddCopy(instruction, *gm, site);
    return;
  }
  Event event;
  event.kind = Event::kWork;
  event.pipe = instruction.pipe;
  event.site = site;
  event.row_bytes = static_cast<uint32_t>(std::min<uint64_t>(on_chip_bytes, UINT32_MAX));
  event.rows = 1;
  TakePendingScalar(&event);
  SetWork(instruction, &event);
  events.push_back(event);
}

void CoreState::SetWork(const Instruction &instruction, Event *event) {
  const CostModel &cost = model->cost;
  Cycles cycles;
  double latency = 0;
  switch (instruction.work) {
    case Work::kVector: {
      const VectorCycles vector = vector_costs_.Of(*model, instruction);
      cycles = vector.total;
      event->conflict = static_cast<float>(vector.conflict);
      break;
    }
    case Work::kCopy:
    case Work::kLocalCopy:
      cycles = LocalCopyCycles(cost, instruction);
      latency = cost.local_copy_latency;
      break;
    case Work::kCube:
      cycles =
          Cycles::Of(cost.cube_startup) + Cycles::At(cost.cube_steps, static_cast<double>(instruction.steps));
      latency = cost.cube_latency;
      break;
    default:
      break;
  }
  elapsed += cycles.count + latency;
  event->cycles = static_cast<float>(cycles.count);
  event->cycles_off = static_cast<float>(cycles.off);
  event->latency = static_cast<float>(latency);
}

void CoreState::AddEvent(Event::Kind kind, Pipe pipe, uint32_t token, uint32_t site) {
  Step(false, true, site);
  Pass(Cycles::Of(model->cost.issue));
  if (!options->cost) return;
  Event event;
  event.kind = kind;
  event.pipe = pipe;
  event.token = token;
  event.site = site;
  TakePendingScalar(&event);
  events.push_back(event);
}

}  // namespace sim
