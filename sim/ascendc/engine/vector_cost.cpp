// SPDX-License-Identifier: Apache-2.0
// The Unified Buffer has 16 bank groups of 3 banks; an address is bank[2] row[7] group[4] offset[5]. In
// a cycle a group serves one read and one write, and a bank serves one of the two. So the reads of a repeat
// that lie in one group take turns, and so do its writes; and a read waits for the write of the repeat before
// it where both are in the same bank.
#include "vector_cost.h"

#include <algorithm>
#include <array>

#include "vector_rates.h"

namespace sim {
namespace {

constexpr uint64_t kBlock = 32;
constexpr uint64_t kGroups = 16;
constexpr uint64_t kBlocksOfBank = 2048;
constexpr uint64_t kBanks = 4;
constexpr uint64_t kMostBlocks = 8;  // that a row of a repeat touches

// For each group how many data blocks a repeat touches there.
using Counts = std::array<uint8_t, kGroups>;

// kRuns[n][g]: the counts of n data blocks that follow each other from group g on.
constexpr auto kRuns = [] {
  std::array<std::array<Counts, kGroups>, kMostBlocks + 2> runs{};
  for (uint64_t blocks = 0; blocks < runs.size(); ++blocks) {
    for (uint64_t first = 0; first < kGroups; ++first) {
      for (uint64_t i = 0; i < blocks; ++i) ++runs[blocks][first][(first + i) % kGroups];
    }
  }
  return runs;
}();

struct Access {
  Counts group_count{};
  uint64_t banks = 0;  // bit: bank id * 16 + group

  void Add(uint64_t first_block, uint64_t end_block) {
    const Counts &run = kRuns[end_block - first_block][first_block % kGroups];
    for (uint64_t group = 0; group < kGroups; ++group) group_count[group] += run[group];
    for (uint64_t block = first_block; block < end_block; ++block) {
      banks |= uint64_t{1} << ((block / kBlocksOfBank % kBanks) * kGroups + block % kGroups);
    }
  }
};

// Adds the data blocks that `operand` touches in one repeat, each block once.
void AddRepeat(const Operand &operand, uint32_t repeat, uint32_t repeats, Access *access) {
  uint64_t start = operand.address;
  uint64_t bytes = operand.row_bytes;
  uint32_t rows = operand.rows;
  if (operand.groups > 1) {
    start += static_cast<uint64_t>(repeat * operand.group_stride);
  } else if (repeats > 1 && rows == 1) {
    const uint64_t share = std::max<uint64_t>(kBlock, operand.row_bytes / repeats);
    start += repeat * share;
    bytes = share;
  } else if (repeats > 1) {
    start += static_cast<uint64_t>((repeat % rows) * operand.row_stride);
    rows = 1;
  }
  if (bytes > kMostBlocks * kBlock) return;
  uint64_t previous = ~uint64_t{0};
  for (uint32_t row = 0; row < rows && row < 8; ++row) {
    const uint64_t begin = start + static_cast<uint64_t>(row * operand.row_stride);
    const uint64_t end = (begin + bytes + kBlock - 1) / kBlock;
    const uint64_t first = begin / kBlock + (begin / kBlock == previous ? 1 : 0);
    if (first >= end) continue;
    access->Add(first, end);
    previous = end - 1;
  }
}

uint32_t Busiest(const Access &access) {
  return *std::max_element(access.group_count.begin(), access.group_count.end());
}

// Whether the operand is a source that is the same as an earlier one: both are read at once.
bool ReadBefore(const Instruction &instruction, int operand) {
  const Operand &a = instruction.operands[operand];
  for (int i = 0; i < operand; ++i) {
    const Operand &b = instruction.operands[i];
    if (a.space == b.space && !a.write && !b.write && a.address == b.address && a.row_bytes == b.row_bytes &&
        a.rows == b.rows && a.row_stride == b.row_stride && a.groups == b.groups &&
        a.group_stride == b.group_stride) {
      return true;
    }
  }
  return false;
}

// Returns the cycles of a repeat, which takes one without bank conflicts: the mean over the first 32 repeats.
double BankCycles(const DeviceModel &model, const Instruction &instruction) {
  const uint32_t repeats = std::max<uint32_t>(instruction.repeats, 1);
  const uint32_t sampled = std::min<uint32_t>(repeats, 32);
  double cycles = 0;
  uint64_t written = 0;
  for (uint32_t repeat = 0; repeat < sampled; ++repeat) {
    Access reads;
    Access writes;
    for (int i = 0; i < instruction.operand_count; ++i) {
      const Operand &operand = instruction.operands[i];
      if (operand.space != Space::UB || ReadBefore(instruction, i)) continue;
      AddRepeat(operand, repeat, repeats, operand.write ? &writes : &reads);
    }
    const uint32_t turns = std::max<uint32_t>({Busiest(reads), Busiest(writes), 1});
    cycles += turns;
    // Where reads take turns, the write of the repeat before gets a cycle of its own.
    if (turns == 1 && (reads.banks & written) != 0) cycles += model.cost.bank_read_write;
    written = writes.banks;
  }
  return cycles / sampled;
}

}  // namespace

VectorCycles CyclesOf(const DeviceModel &model, const Instruction &instruction) {
  const double repeats = std::max<uint32_t>(instruction.repeats, 1);
  double own = 1;  // cycles a repeat that no bank adds to
  const VectorRate *rate = FindVectorRate(instruction.name);
  if (rate != nullptr && instruction.elements != 0) {
    const double elements_a_cycle = instruction.element_bytes == 2 ? rate->half : rate->single;
    if (elements_a_cycle != 0)
      own = std::max(own, static_cast<double>(instruction.elements) / elements_a_cycle / repeats);
  }
  // Instructions of two cycles use the banks in both ("gelu"); slower ones have time to wait for them.
  constexpr double kBusyBanks = 2;
  const double banks = BankCycles(model, instruction);
  const double per_repeat = own <= kBusyBanks ? own * banks : std::max(own, banks);
  const CostModel &cost = model.cost;
  const double start = rate != nullptr && rate->start != 0 ? rate->start : cost.vector_startup;
  const double conflict = repeats * (per_repeat - own);
  const double doubt = rate != nullptr ? rate->doubt : kDocumentedRate;
  const double off =
      start * cost.vector_startup.doubt + repeats * own * doubt + conflict * cost.bank_read_write.doubt;
  return {{start + repeats * per_repeat, off}, conflict};
}

int VectorCosts::KeyOf(const Instruction &instruction, Key *key) {
  int words = 0;
  (*key)[words++] = reinterpret_cast<uint64_t>(instruction.name);
  (*key)[words++] = uint64_t{instruction.repeats} << 32 | instruction.element_bytes;
  (*key)[words++] = instruction.elements;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space != Space::UB) continue;
    (*key)[words++] = operand.address << 1 | (operand.write ? 1 : 0);
    (*key)[words++] = uint64_t{operand.row_bytes} << 32 | operand.rows;
    (*key)[words++] = static_cast<uint64_t>(operand.row_stride);
    (*key)[words++] = operand.groups;
    (*key)[words++] = static_cast<uint64_t>(operand.group_stride);
  }
  return words;
}

VectorCycles VectorCosts::Of(const DeviceModel &model, const Instruction &instruction) {
  if (entries_.empty()) entries_.resize(kEntries);
  Key key;
  const int words = KeyOf(instruction, &key);
  uint64_t hash = 0;
  for (int i = 0; i < words; ++i) hash = (hash ^ key[i]) * 0x9E3779B97F4A7C15U;
  Entry &entry = entries_[(hash >> 32) % kEntries];
  if (entry.words == words && std::equal(key.begin(), key.begin() + words, entry.key.begin())) {
    return entry.cycles;
  }
  entry.words = words;
  std::copy(key.begin(), key.begin() + words, entry.key.begin());
  entry.cycles = CyclesOf(model, instruction);
  return entry.cycles;
}

}  // namespace sim
