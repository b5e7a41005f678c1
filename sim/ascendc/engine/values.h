// SPDX-License-Identifier: Apache-2.0
// Follows values that nobody wrote through a core, as memcheck of Valgrind does. To read them, to compute
// with them and to store them on the chip is no fault. It is one where they reach what others see or what
// decides: global memory, an address, a choice, or the scalar unit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core.h"
#include "flow.h"
#include "value_map.h"

namespace sim {

class CoreState;

class Values {
 public:
  explicit Values(CoreState *core);
  void Release();

  // Judges the sources of an instruction before its results are written, and notes which of these are
  // undefined. Write and Settle then do what the instruction does to its results.
  void Follow(const Instruction &instruction, uint32_t site);
  void Write(const Operand &operand);
  void Settle() {
    if (!results_.empty()) SettleResults();
  }

  // After all cores: reports undefined values in global memory that nobody has written over since.
  void JudgeLate();

  // The scalar unit takes a value from these registers, or puts one into on-chip memory.
  void ReadRegisters(const char *name, Where where, const BitRange &registers);
  void Store(const BitRange &result, const BitRange &registers);

  // The runs of bytes of an operand in the order of its lanes.
  struct Runs {
    Space space = Space::UB;
    Use use = Use::kValue;
    uint32_t lane_bytes = 0;
    uint64_t total = 0;  // bytes
    std::vector<std::pair<uint64_t, uint64_t>> runs;
  };
  struct Sides {
    std::vector<Runs> results, sources;
  };
  static Sides SidesOf(const Instruction &instruction);
  // Whether lane i of the one depends on lane i of the other and on no other lane of it.
  static bool SameLanes(ValueFlow flow, const Runs &result, const Runs &source);

 private:
  friend class Flows;

  // Bytes that nobody wrote, the call that read them first, and the last one that handed their values on.
  struct Origin {
    std::string bytes;
    uint32_t first_site = 0;
    uint32_t last_site = 0;
    uint32_t root = 0;  // the origin without the calls that handed the values on
  };
  struct Result {
    BitRange part;
    uint32_t origin = 0;
  };
  // A copy that wrote undefined values to `parts` of global memory. Kernels copy whole blocks of 32 bytes,
  // and then write over the end of one row with the next row; so this is no fault before the kernel has
  // ended. The key is its kind, and the sites of the call through which the values came and of the copy.
  using LateKey = std::tuple<FaultKind, uint32_t, uint32_t>;
  struct LateFault {
    std::string text;
    std::vector<BitRange> parts;
  };

  ValueMap &Map(Space space);
  static bool Reads(const Instruction &instruction, const Operand &operand);
  bool Defined(const Operand &operand);
  uint64_t FirstHole(const BitRange &source);
  uint32_t OriginOf(Space space, uint64_t byte, uint32_t site);
  uint32_t RootOf(Space space, uint64_t byte, uint32_t site);
  void AddResult(const BitRange &part, uint32_t origin);
  void SettleResults();

  // values_flow.cpp
  void Spread(const Instruction &instruction, uint32_t site);
  void SpreadToAll(const Instruction &instruction, const Runs &source, uint32_t site);
  void SpreadLanes(ValueFlow flow, const Runs &results, const Runs &source, const Runs *partner,
                   uint32_t site);
  void SpreadBits(ValueFlow flow, const BitRange &result, const BitRange &source, const BitRange *partner,
                  uint32_t site);
  static Runs RunsOf(const Instruction &instruction, int first);

  // values_scalar.cpp
  // A word with undefined bits that the scalar unit has taken from the chip, and the fault that this is
  // unless the next instruction stores the word.
  struct TakenWord {
    std::pair<LateKey, std::string> fault;
    uint32_t origin = 0;
    uint64_t bytes = 0;
    std::byte value[8];
    uint8_t holes[8];
    std::optional<uint64_t> stored_at;  // by the last instruction
    bool copied = false;                // by an earlier store
  };
  void JudgeScalarRead(const Instruction &instruction, const Operand &operand, uint32_t site);
  FaultKind KindOf(const Instruction &instruction, const BitRange &word);
  void Take(const BitRange &word, uint32_t origin, const std::pair<LateKey, std::string> &fault);
  // Decides about the word when the core goes on with `next`; null: it has come to its end.
  void SettleTaken(const Instruction *next);

  // values_report.cpp
  // Returns whether the instruction writes to global memory, where nothing is followed.
  bool JudgeSinks(const Instruction &instruction, uint32_t site);
  // What the report of an operand says that the instruction does with it, and when the fault counts.
  struct Doing {
    const char *verb = "";             // "reads "
    const Operand *written = nullptr;  // the operand in global memory that the verb "writes " has
    uint64_t free = 0;                 // so many bytes at the end of the operand may hold anything
    bool late = false;                 // see LateFault
  };
  void JudgeOperand(const Operand &operand, const Doing &doing, uint32_t site);
  void NoteParts(const Instruction &instruction, uint32_t site, uint64_t behind);
  void DropWrittenParts();
  void AddLate(const LateKey &key, const std::string &text);
  uint64_t BytesInPadding(const Operand &global, uint64_t *begin) const;
  void Report(FaultKind kind, const BitRange &source, uint64_t hole, const std::string &does, uint32_t site);
  // Says whether the fault of this key has been reported. Otherwise a late one waits in touched_.
  bool Told(const LateKey &key, bool late);
  LateKey KeyOf(FaultKind kind, const BitRange &source, uint64_t hole, uint32_t site);
  std::string TextOf(const LateKey &key, const BitRange &source, uint64_t hole, const std::string &does);
  std::string RangeText(Space space, uint64_t begin, uint64_t end) const;
  uint64_t BaseOf(Space space, uint64_t address) const;

  CoreState *const core_;
  ValueMap maps_[kSpaces + 1];  // the last one: registers
  bool registers_have_holes_ = false;
  const Instruction *current_ = nullptr;  // that Follow looks at
  std::optional<TakenWord> taken_;
  // The origin of the bytes [begin, end) that RootOf gave last for this instruction.
  struct Root {
    Space space = Space::GM;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t origin = 0;
  };
  Root last_root_;
  std::vector<Result> results_;
  std::map<LateKey, LateFault> late_;
  std::vector<LateKey> touched_;    // the late faults of the current instruction
  size_t late_parts_ = 0;           // of all late faults
  size_t most_late_parts_ = 10000;  // beyond, those that were written over are dropped
  std::vector<Origin> origins_{1};
  std::map<std::tuple<Space, uint64_t, uint32_t>, uint32_t> roots_;  // by the end of the bytes, and the site
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> steps_;          // by a root and the site that goes on
};

}  // namespace sim
