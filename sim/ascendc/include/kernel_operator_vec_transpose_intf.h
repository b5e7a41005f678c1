// SPDX-License-Identifier: Apache-2.0
// Transpositions in UB.
#pragma once

#include <vector>

#include "kernel_struct_transpose.h"
#include "sim/vector_op.h"

namespace sim {

using AscendC::LocalTensor;
using AscendC::NCHW_CONV_ADDR_LIST_SIZE;

// The operand of one address list of TransDataTo5HD, which has 16 data blocks in a repeat. Where the blocks
// lie at equal distances, rows at a stride describe them; otherwise one row that spans them, with a map of
// the blocks.
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
    const uint64_t span =
        *high - *low + static_cast<uint64_t>(repeats - 1) * stride_blocks * kBlockBytes + kBlockBytes;
    const uint64_t unit = 16;  // half a block, the finest piece of an 8-bit transposition
    map.assign(span / unit / 64 + 1, 0);
    for (uint32_t r = 0; r < repeats; ++r) {
      for (const uint64_t start : address) {
        const uint64_t first =
            (start - *low + static_cast<uint64_t>(r) * stride_blocks * kBlockBytes + offset) / unit;
        for (uint64_t i = first; i < first + bytes / unit; ++i) {
          map[i / 64] |= uint64_t{1} << (i % 64);
        }
      }
    }
    operand.row_bytes = static_cast<uint32_t>(span);
    operand.element_bytes = static_cast<uint8_t>(unit);
    operand.elements = map.data();
    return operand;
  }
};

// Reads 16 blocks as rows and writes them as columns. Element j of block i goes to element i of block j
// (16-bit types), to the blocks 2j and 2j + 1 (32-bit types), or to the chosen half of block j (8-bit types).
template <typename T>
void TransData(const uint64_t *dst, const uint64_t *src, const AscendC::TransDataTo5HDParams &params,
               Where where) {
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
  instruction.Add(to.Describe("dstList", true, repeats, params.dstRepStride, to_offset, kBytes));
  instruction.Add(from.Describe("srcList", false, repeats, params.srcRepStride, from_offset, kBytes));
  instruction.repeats = repeats * 2;
  instruction.elements = static_cast<uint64_t>(repeats) * kRows * kColumns;
  core.Issue(instruction);
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

}  // namespace sim

namespace AscendC {

template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                      uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams &nchwconvParams,
                                      sim::Where where = sim::Where::Here()) {
  sim::TransData<T>(dstList, srcList, nchwconvParams, where);
}
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams &nchwconvParams,
                                      sim::Where where = sim::Where::Here()) {
  uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = dstList[i].GetPhyAddr();
    src[i] = srcList[i].GetPhyAddr();
  }
  sim::TransData<T>(dst, src, nchwconvParams, where);
}
// The lists of addresses lie in UB, and the scalar unit reads them.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                                      const TransDataTo5HDParams &nchwconvParams,
                                      sim::Where where = sim::Where::Here()) {
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE], from[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dst.GetValue(i, where);
    from[i] = src.GetValue(i, where);
  }
  sim::TransData<T>(to, from, nchwconvParams, where);
}

// Transposes a matrix of 16 x 16.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 sim::Where where = sim::Where::Here()) {
  static_assert(sim::kOneOf<T, int16_t, uint16_t, half>, "Transpose: element type not available on Atlas A2");
  sim::VectorOp op("Transpose", sizeof(T), where);
  op.Add(sim::Run("dst", dst, true, 512), dst);
  op.Add(sim::Run("src", src, false, 512), src);
  op.instruction().repeats = 2;
  op.instruction().elements = 256;
  op.core().Issue(op.instruction());
  T *to = sim::Pointer<T>(op.core(), dst);
  const T *from = sim::Pointer<T>(op.core(), src);
  T copy[256];
  std::copy_n(from, 256, copy);
  for (int i = 0; i < 256; ++i) {
    to[i] = copy[i % 16 * 16 + i / 16];
  }
}

// Transposes a matrix of 16 x 16; or turns (N, C, H, W) into (N, H, W, C), or back, by means of a work
// tensor.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer,
                                 const TransposeParamsExt &transposeParams,
                                 sim::Where where = sim::Where::Here()) {
  const TransposeType type = transposeParams.transposeType;
  if constexpr (sizeof(T) == 2) {
    if (type == TransposeType::TRANSPOSE_ND2ND_B16) {
      return Transpose(dst, src, where);
    }
  }
  sim::VectorOp op("Transpose", sizeof(T), where);
  sim::Core &core = op.core();
  const bool to_nhwc = type == TransposeType::TRANSPOSE_NCHW2NHWC;
  if (!to_nhwc && type != TransposeType::TRANSPOSE_NHWC2NCHW) {
    core.Fail(sim::FaultKind::kOther, "Transpose", where,
              "transposeType must be TRANSPOSE_ND2ND_B16 of 16-bit elements, TRANSPOSE_NCHW2NHWC or "
              "TRANSPOSE_NHWC2NCHW");
  }
  const uint64_t channels = transposeParams.cSize;
  const uint64_t area = static_cast<uint64_t>(transposeParams.hSize) * transposeParams.wSize;
  const uint64_t count = transposeParams.nSize * channels * area;
  sim::CheckRange(core, sim::FaultKind::kCount_, "Transpose", where, "cSize", channels, 0, 4095);
  sim::CheckRange(core, sim::FaultKind::kCount_, "Transpose", where, "hSize * wSize", area, 0, 4095);
  if (area * sizeof(T) % sim::kBlockBytes != 0) {
    sim::FailRange(core, sim::FaultKind::kCount_, "Transpose", where, "hSize * wSize * sizeof(T)",
                   "a multiple of 32 bytes", area * sizeof(T));
  }
  if (count == 0) {
    return;
  }
  const uint64_t tile = (sizeof(T) == 1 ? 32 : 16) * sim::kBlockBytes;
  const uint64_t work = (to_nhwc ? channels + 2 : channels * 2 + 1) * tile;
  if (sharedTmpBuffer.bytes < work) {
    sim::FailRange(core, sim::FaultKind::kCount_, "Transpose", where, "sharedTmpBuffer",
                   "of at least " + std::to_string(work) + " bytes", sharedTmpBuffer.bytes);
  }
  op.Add(sim::Run("dst", dst, true, count * sizeof(T)), dst);
  op.Add(sim::Run("src", src, false, count * sizeof(T)), src);
  op.Add(sim::Run("sharedTmpBuffer", sharedTmpBuffer, true, work), sharedTmpBuffer);
  op.instruction().repeats = static_cast<uint32_t>(2 * sim::CeilDivide(count * sizeof(T), sim::kRepeatBytes));
  op.instruction().elements = count;
  core.Issue(op.instruction());
  const T *from = sim::Pointer<T>(core, src);
  const std::vector<T> copy(from, from + count);
  T *to = sim::Pointer<T>(core, dst);
  for (uint64_t n = 0; n < transposeParams.nSize; ++n) {
    for (uint64_t c = 0; c < channels; ++c) {
      for (uint64_t i = 0; i < area; ++i) {
        const uint64_t nchw = (n * channels + c) * area + i, nhwc = (n * area + i) * channels + c;
        to[to_nhwc ? nhwc : nchw] = copy[to_nhwc ? nchw : nhwc];
      }
    }
  }
}

}  // namespace AscendC
