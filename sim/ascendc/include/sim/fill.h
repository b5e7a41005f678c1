// SPDX-License-Identifier: Apache-2.0
// Fills blocks of L1, L0A or L0B with one value.
#pragma once

#include "fractals.h"

namespace sim {

// Each repeat fills `blocks` blocks; `gap` blocks lie between two repeats. A block has 32 bytes in L1, 512
// elsewhere.
struct FillShape {
  uint16_t repeats, blocks, gap;
};

// `value` has the bytes of an element of `dst`.
inline void FillBlocks(CopySide dst, const void *value, const FillShape &shape, Where where) {
  constexpr const char *kName = "InitConstValue";
  if (shape.repeats == 0 || shape.blocks == 0) return;
  Core &core = Core::Current();
  const bool level1 = dst.operand.space == Space::L1;
  const uint32_t block = level1 ? kBlockBytes : kFractalBytes;
  dst.operand.alignment = block;
  dst.operand.row_bytes = shape.blocks * block;
  dst.operand.rows = shape.repeats;
  dst.operand.row_stride = (int64_t{shape.blocks} + shape.gap) * block;
  CheckSide(core, kName, dst, where);
  Instruction instruction;
  instruction.name = kName;
  instruction.where = where;
  instruction.pipe = level1 ? Pipe::MTE2 : Pipe::MTE1;
  instruction.work = Work::kLocalCopy;
  instruction.elements = uint64_t{dst.operand.row_bytes} * shape.repeats / dst.element_bytes;
  instruction.Add(dst.operand);
  core.Issue(instruction);
  for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    std::byte *row = core.Memory(dst.operand.space, dst.operand.address + repeat * dst.operand.row_stride);
    for (uint32_t at = 0; at < dst.operand.row_bytes; at += dst.element_bytes) {
      std::memcpy(row + at, value, dst.element_bytes);
    }
  }
}

}  // namespace sim
