// SPDX-License-Identifier: Apache-2.0
// Right factors of which two of four values along k are stored. An index of 2 bits for each stored value lies
// in a buffer beside L0B: 128 bytes for each fractal of 512. Of each pair, the first index is a place among
// the values 0 to 2 of its four, the second one among 1 to 3:
//
//   four values of A   0 1 2 3
//   index (0, 2)       X     Y       index (1, 1)    X Y       index (2, 2)        X Y
#pragma once

#include "fractals.h"

namespace sim {

constexpr uint32_t kIndexShare = 4;  // bytes of values for each byte of index

// The place along k of the value of A that meets stored value `index`, which lies at this byte of L0B.
// `name`: the instruction that multiplies.
inline uint32_t SparsePlace(Core &core, const char *name, uint64_t address, uint32_t index, Where where) {
  const auto bits = [&](uint64_t at) -> uint32_t {
    const uint32_t value = core.registers.sparse_index[at / kIndexShare] >> (at % kIndexShare * 2) & 3U;
    if (value == 3) {
      FailRange(core, FaultKind::kOther, name, where, "an index of idx, which LoadDataWithSparse has loaded,",
                "in [0, 2]", value);
    }
    return value;
  };
  const uint32_t first = bits(address - index % 2);
  return index / 2 * 4 + (index % 2 == 0 ? first : std::max(first, bits(address) + 1));
}

// Loads fractals of int8_t that follow each other to L0B, and their index. Of the parameters startIndex and
// repeatTimes count, as on the device.
inline void LoadSparse(const LocalTensorBase &dst, const CopySide &to, const CopySide &from,
                       const LocalTensorBase &index, const AscendC::LoadData2DParams &given, Where where) {
  constexpr const char *kName = "LoadDataWithSparse";
  Core &core = Core::Current();
  CheckMemory(core, kName, where, "dst", dst, {Space::L0B}, "L0B (B2)");
  CheckMemory(core, kName, where, "idx", index, {Space::L1}, "L1 (A1, B1)");
  if (given.repeatTimes == 0) return;
  AscendC::LoadData2DParams params;
  params.startIndex = given.startIndex;
  params.repeatTimes = given.repeatTimes;
  params.srcStride = 1;
  LoadFractals(dst, to, from, params, where, kName);
  constexpr uint32_t kBytes = kFractalBytes / kIndexShare;
  Instruction instruction;
  instruction.name = kName;
  instruction.where = where;
  instruction.pipe = Pipe::MTE1;
  instruction.work = Work::kLocalCopy;
  instruction.elements = uint64_t{kBytes} * params.repeatTimes;
  LocalTensorBase part = index;
  const uint64_t skip = uint64_t{params.startIndex} * kBytes;
  part.address += skip;
  part.bytes -= std::min(part.bytes, skip);
  const Operand operand = Run("idx", part, false, uint64_t{kBytes} * params.repeatTimes);
  CheckView(core, kName, operand, part.bytes, where);
  instruction.Add(operand);
  IssueWith(core, instruction, [&](Flows &flows) {
    flows.Decide(BitsOf(part, 0, uint64_t{kBytes} * params.repeatTimes), "chooses values of fm by idx");
  });
  auto &kept = core.registers.sparse_index;
  kept.resize(core.BytesOf(Space::L0B) / kIndexShare);
  const uint64_t to_index = std::min<uint64_t>(dst.address / kIndexShare, kept.size());
  std::memcpy(kept.data() + to_index, core.Memory(part.space, part.address),
              std::min<uint64_t>(kBytes * params.repeatTimes, kept.size() - to_index));
}

}  // namespace sim
