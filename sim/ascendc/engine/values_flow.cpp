// SPDX-License-Identifier: Apache-2.0
// Which results of an instruction are undefined, by how its results depend on its sources.
#include <algorithm>
#include <cstring>

#include "core_state.h"
#include "runs.h"
#include "values.h"

namespace sim {
namespace {

// Walks through runs of bytes; the bytes of all runs count as one sequence.
class Walk {
 public:
  explicit Walk(const std::vector<std::pair<uint64_t, uint64_t>> &runs) : runs_(runs) {}
  uint64_t address() const { return runs_[run_].first + offset_; }
  uint64_t left() const { return runs_[run_].second - offset_; }
  bool done() const { return run_ == runs_.size(); }
  void Advance(uint64_t bytes) {
    offset_ += bytes;
    if (offset_ < runs_[run_].second) return;
    offset_ = 0;
    ++run_;
  }

 private:
  const std::vector<std::pair<uint64_t, uint64_t>> &runs_;
  size_t run_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace

// An operand, and those after it that hold its later repeats.
Values::Runs Values::RunsOf(const Instruction &instruction, int first) {
  const Operand &operand = instruction.operands[first];
  Runs runs;
  runs.space = operand.space;
  runs.use = operand.use;
  runs.lane_bytes = operand.lane_bytes;
  for (int i = first; i < instruction.operand_count; ++i) {
    const Operand &part = instruction.operands[i];
    if (i > first && (part.first_repeat == 0 || part.name != operand.name || part.write != operand.write)) {
      break;
    }
    ForEachRun(part, [&](uint64_t begin, uint64_t bytes) {
      runs.runs.emplace_back(begin, bytes);
      runs.total += bytes;
    });
  }
  return runs;
}

Values::Sides Values::SidesOf(const Instruction &instruction) {
  Sides sides;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    const bool goes_on = operand.first_repeat != 0 && i > 0 &&
                         instruction.operands[i - 1].name == operand.name &&
                         instruction.operands[i - 1].write == operand.write;
    if (!goes_on) (operand.write ? sides.results : sides.sources).push_back(RunsOf(instruction, i));
  }
  return sides;
}

bool Values::SameLanes(ValueFlow flow, const Runs &result, const Runs &source) {
  if (flow == ValueFlow::kAll) return false;
  const auto lanes = [flow](const Runs &runs) {
    const uint64_t width = flow == ValueFlow::kLanes ? runs.lane_bytes : 1;
    return width == 0 ? 0 : runs.total / width;
  };
  return lanes(result) != 0 && lanes(result) == lanes(source);
}

void Values::SpreadToAll(const Instruction &instruction, const Runs &source, uint32_t site) {
  uint32_t origin = 0;
  for (const auto &[begin, bytes] : source.runs) {
    const uint64_t hole = FirstHole({source.space, begin, bytes});
    if (hole == bytes) continue;
    origin = OriginOf(source.space, begin + hole, site);
    break;
  }
  for (int i = 0; origin != 0 && i < instruction.operand_count; ++i) {
    const Operand &result = instruction.operands[i];
    if (!result.write) continue;
    ForEachRun(result,
               [&](uint64_t begin, uint64_t bytes) { AddResult({result.space, begin, bytes}, origin); });
  }
}

// `result` and `source` have the same number of bytes.
void Values::SpreadBits(ValueFlow flow, const BitRange &result, const BitRange &source,
                        const BitRange *partner, uint32_t site) {
  for (uint64_t at = 0; at < source.bytes; ++at) {
    at += FirstHole({source.space, source.address + at, source.bytes - at, source.bits});
    if (at >= source.bytes) return;
    const uint64_t byte = source.address + at;
    uint8_t holes = source.space == Space::GM ? 0xFF : Map(source.space).Holes(byte) & source.bits;
    if (partner != nullptr) {
      // A defined 0 decides the result of And, a defined 1 that of Or.
      const auto value = static_cast<uint8_t>(*core_->Memory(partner->space, partner->address + at));
      const uint8_t decides = flow == ValueFlow::kAnd ? static_cast<uint8_t>(~value) : value;
      holes &= static_cast<uint8_t>(~decides | Map(partner->space).Holes(partner->address + at));
    }
    if (holes == 0) continue;
    AddResult({result.space, result.address + at, 1, holes}, OriginOf(source.space, byte, site));
  }
}

void Values::SpreadLanes(ValueFlow flow, const Runs &results, const Runs &source, const Runs *partner,
                         uint32_t site) {
  const bool bits = flow != ValueFlow::kLanes;
  const uint64_t to_width = bits ? 1 : results.lane_bytes, from_width = bits ? 1 : source.lane_bytes;
  Walk to(results.runs), from(source.runs), other(partner != nullptr ? partner->runs : source.runs);
  while (!from.done() && !to.done()) {
    uint64_t lanes = std::min(to.left() / to_width, from.left() / from_width);
    if (partner != nullptr) lanes = std::min(lanes, other.left());
    const BitRange result{results.space, to.address(), lanes * to_width};
    const BitRange read{source.space, from.address(), lanes * from_width};
    if (bits) {
      const BitRange beside{partner != nullptr ? partner->space : source.space, other.address(), lanes};
      SpreadBits(flow, result, read, partner != nullptr ? &beside : nullptr, site);
    } else {
      for (uint64_t lane = 0; lane < lanes; ++lane) {
        const uint64_t hole =
            FirstHole({read.space, read.address + lane * from_width, read.bytes - lane * from_width});
        lane += hole / from_width;
        if (lane >= lanes) break;
        const uint64_t byte = read.address + lane * from_width + hole % from_width;
        AddResult({result.space, result.address + lane * to_width, to_width},
                  OriginOf(read.space, byte, site));
      }
    }
    to.Advance(lanes * to_width);
    from.Advance(lanes * from_width);
    if (partner != nullptr) other.Advance(lanes);
  }
}

void Values::Spread(const Instruction &instruction, uint32_t site) {
  if (instruction.flow_map != nullptr) {
    Flows flows(this, site);
    instruction.flow_map->Describe(flows);
    return;
  }
  const ValueFlow flow = instruction.flow;
  const auto [results, sources] = SidesOf(instruction);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (results.size() != 1 || !SameLanes(flow, results[0], sources[i])) {
      SpreadToAll(instruction, sources[i], site);
      continue;
    }
    const bool pairs = (flow == ValueFlow::kAnd || flow == ValueFlow::kOr) && sources.size() == 2 &&
                       sources[0].total == sources[1].total;
    SpreadLanes(flow, results[0], sources[i], pairs ? &sources[1 - i] : nullptr, site);
  }
}

}  // namespace sim
