// SPDX-License-Identifier: Apache-2.0
// How values that nobody wrote flow through an instruction. The core asks for it only where an instruction
// reads one of them.
#pragma once

#include <cstdint>

#include "instruction.h"

namespace sim {

// Stands for the registers that hold results of vector instructions; the addresses are those below.
constexpr Space kRegisterFile = Space::kCount;
constexpr uint64_t kCompareMaskAt = 0;  // 16 bytes: CMPMASK
constexpr uint64_t kReducedAt = 16;     // 8 bytes for each: value, index and sum of the last reduction
constexpr uint64_t kMergedAt = 40;      // 8 bytes: the counts of MrgSort
constexpr uint64_t kRegisterBytes = 48;

// Some bytes of a memory, and of each of them some bits.
struct BitRange {
  Space space = Space::UB;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint8_t bits = 0xFF;
};

class Values;

// What a FlowMap tells the core. Sources are those before the instruction, results those after it. Whatever
// the instruction writes is defined unless one of these calls says otherwise.
class Flows {
 public:
  Flows(Values *values, uint32_t site) : values_(values), site_(site) {}

  bool Undefined(const BitRange &source) const;
  // All of `result` is undefined where a bit of `source` is.
  void Depend(const BitRange &result, const BitRange &source);
  // Each bit of `result` is that of `source` at the same place. Both have the same number of bytes.
  void Move(const BitRange &result, const BitRange &source);
  // Nobody wrote `result`.
  void Undefine(const BitRange &result);
  // The instruction writes these registers.
  void Define(const BitRange &registers);
  // What the instruction does depends on `source`: a fault where that is undefined. `does` is a phrase such
  // as "chooses elements by src1Pattern".
  void Decide(const BitRange &source, const char *does);

 private:
  Values *values_;
  uint32_t site_;
};

class FlowMap {
 public:
  virtual void Describe(Flows &flows) const = 0;

 protected:
  ~FlowMap() = default;
};

// A FlowMap that calls a function: FlowBy map([&](Flows &flows) { … });
template <typename Function>
class FlowBy final : public FlowMap {
 public:
  explicit FlowBy(const Function &function) : function_(function) {}
  void Describe(Flows &flows) const override { function_(flows); }

 private:
  const Function function_;
};

}  // namespace sim
