// SPDX-License-Identifier: Apache-2.0
// Transpositions of squares in UB: of 16 data blocks by their addresses, and of a matrix of 16 x 16.
#pragma once

#include <vector>

#include "../kernel_struct_transpose.h"
#include "vector_op.h"

namespace sim {

using AscendC::LocalTensor;
using AscendC::NCHW_CONV_ADDR_LIST_SIZE;

// The operand of one address list of TransDataTo5HD, which has 16 data blocks in a repeat: a row that spans
// them, with a map of the blocks.
struct BlockList {
  std::array<uint64_t, NCHW_CONV_ADDR_LIST_SIZE> address;
  std::vector<uint64_t> map;

  Operand Describe(const char *name, bool write, uint32_t repeats, uint32_t stride_blocks, uint32_t offset,
                   uint32_t bytes) {
    Operand operand;
    operand.name = name;
    operand.write = write;
    const auto [low, high] = std::minmax_element(address.begin(), address.end());
    operand.address = *low;
    operand.groups = repeats;
    operand.group_stride = static_cast<int64_t>(stride_blocks) * kBlockBytes;
    const uint64_t span = *high - *low + kBlockBytes;
    const uint64_t unit = 16;  // half a block, the finest piece of an 8-bit transposition
    map.assign(span / unit / 64 + 1, 0);
    for (const uint64_t start : address) {
      const uint64_t first = (start - *low + offset) / unit;
      for (uint64_t i = first; i < first + bytes / unit; ++i) map[i / 64] |= uint64_t{1} << (i % 64);
    }
    operand.row_bytes = static_cast<uint32_t>(span);
    operand.element_bytes = static_cast<uint8_t>(unit);
    operand.elements = map.data();
    return operand;
  }
};

// Reads 16 blocks as rows and writes them as columns. Element j of block i goes to element i of block j
// (16-bit types), to the blocks 2j and 2j + 1 (32-bit types), or to the chosen half of block j (8-bit types).
// `by_address`: the kernel gave addresses, not tensors.
template <typename T>
void TransData(const uint64_t *dst, const uint64_t *src, const AscendC::TransDataTo5HDParams &params,
               bool by_address, Where where) {
  static_assert(kOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>,
                "TransDataTo5HD: element type not available on Atlas A2");
  VectorOp op("TransDataTo5HD", sizeof(T), where);
  Core &core = op.core();
  const uint32_t repeats = params.repeatTimes;
  if (repeats == 0) {
    return;
  }
  constexpr uint32_t kRows = NCHW_CONV_ADDR_LIST_SIZE;
  constexpr uint32_t kColumns =
      sizeof(T) == 1 ? 16 : kBlockBytes / sizeof(T);  // elements that are read of each block
  constexpr uint32_t kHalf = sizeof(T) == 1 ? 16 : 0;
  const uint32_t from_offset = params.srcHighHalf ? kHalf : 0, to_offset = params.dstHighHalf ? kHalf : 0;
  constexpr uint32_t kBytes = sizeof(T) == 1 ? 16 : kBlockBytes;
  for (uint32_t i = 0; i < kRows; ++i) {
    if (dst[i] % kBlockBytes != 0 || src[i] % kBlockBytes != 0) {
      core.Fail(FaultKind::kAlignment, "TransDataTo5HD", where,
                "addresses must be multiples of 32 bytes, number " + std::to_string(i) + " is " +
                    std::to_string(dst[i]) + " in dstList and " + std::to_string(src[i]) + " in srcList");
    }
  }
  BlockList to, from;
  std::copy_n(dst, kRows, to.address.begin());
  std::copy_n(src, kRows, from.address.begin());
  Instruction &instruction = op.instruction();
  instruction.by_address = by_address;
  instruction.Add(to.Describe("dstList", true, repeats, params.dstRepStride, to_offset, kBytes));
  instruction.Add(from.Describe("srcList", false, repeats, params.srcRepStride, from_offset, kBytes));
  instruction.repeats = repeats * 2;
  instruction.elements = static_cast<uint64_t>(repeats) * kRows * kColumns;
  IssueWith(core, instruction, [&](Flows &flows) {
    for (uint32_t r = 0; r < repeats; ++r) {
      const uint64_t to_repeat = uint64_t{r} * params.dstRepStride * kBlockBytes + to_offset;
      const uint64_t from_repeat = uint64_t{r} * params.srcRepStride * kBlockBytes + from_offset;
      for (uint32_t flat = 0; flat < kRows * kColumns; ++flat) {
        const uint64_t result = dst[flat / kColumns] + to_repeat + flat % kColumns * sizeof(T);
        const uint64_t source = src[flat % kRows] + from_repeat + flat / kRows * sizeof(T);
        flows.Move({Space::UB, result, sizeof(T)}, {Space::UB, source, sizeof(T)});
      }
    }
  });
  for (uint32_t r = 0; r < repeats; ++r) {
    T block[kRows][kColumns];
    for (uint32_t i = 0; i < kRows; ++i) {
      const uint64_t address =
          src[i] + static_cast<uint64_t>(r) * params.srcRepStride * kBlockBytes + from_offset;
      std::memcpy(block[i], core.Memory(Space::UB, address), kBytes);
    }
    for (uint32_t j = 0; j < kRows; ++j) {
      T row[kColumns];
      for (uint32_t k = 0; k < kColumns; ++k) {
        const uint32_t flat = j * kColumns + k;
        row[k] = block[flat % kRows][flat / kRows];
      }
      const uint64_t address =
          dst[j] + static_cast<uint64_t>(r) * params.dstRepStride * kBlockBytes + to_offset;
      std::memcpy(core.Memory(Space::UB, address), row, kBytes);
    }
  }
}

// Transposes a matrix of 16 x 16.
template <typename T>
void Transpose16(const LocalTensor<T> &dst, const LocalTensor<T> &src, Where where) {
  static_assert(kOneOf<T, int16_t, uint16_t, half>, "Transpose: element type not available on Atlas A2");
  VectorOp op("Transpose", sizeof(T), where);
  op.Add(Run("dst", dst, true, 512), dst);
  op.Add(Run("src", src, false, 512), src);
  op.instruction().repeats = 2;
  op.instruction().elements = 256;
  sim::IssueWith(op.core(), op.instruction(), [&](Flows &flows) {
    for (uint32_t i = 0; i < 256; ++i) {
      flows.Move(BitsOf(dst, i * sizeof(T), sizeof(T)),
                 BitsOf(src, (i % 16 * 16 + i / 16) * sizeof(T), sizeof(T)));
    }
  });
  T *to = Pointer<T>(op.core(), dst);
  const T *from = Pointer<T>(op.core(), src);
  T copy[256];
  std::copy_n(from, 256, copy);
  for (int i = 0; i < 256; ++i) {
    to[i] = copy[i % 16 * 16 + i / 16];
  }
}

}  // namespace sim
