// SPDX-License-Identifier: Apache-2.0
// Transpositions in UB.
#pragma once

#include <vector>

#include "sim/transpose.h"

namespace AscendC {

// The compiler synchronises operands that are tensors; addresses leave that to the kernel.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                      uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams &nchwconvParams,
                                      sim::Where where = sim::Where::Here()) {
  sim::TransData<T>(dstList, srcList, nchwconvParams, true, where);
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
  sim::TransData<T>(dst, src, nchwconvParams, false, where);
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
  sim::TransData<T>(to, from, nchwconvParams, true, where);
}

// Transposes a matrix of 16 x 16.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                 sim::Where where = sim::Where::Here()) {
  sim::Transpose16(dst, src, where);
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
  op.Share(sim::Sharing::kNone);
  op.Add(sim::Run("dst", dst, true, count * sizeof(T)), dst);
  op.Add(sim::Run("src", src, false, count * sizeof(T)), src);
  op.Add(sim::Run("sharedTmpBuffer", sharedTmpBuffer, true, work), sharedTmpBuffer);
  op.instruction().repeats = static_cast<uint32_t>(2 * sim::CeilDivide(count * sizeof(T), sim::kRepeatBytes));
  op.instruction().elements = count;
  const auto each = [&](auto visit) {
    for (uint64_t n = 0; n < transposeParams.nSize; ++n) {
      for (uint64_t c = 0; c < channels; ++c) {
        for (uint64_t i = 0; i < area; ++i) {
          const uint64_t nchw = (n * channels + c) * area + i, nhwc = (n * area + i) * channels + c;
          visit(to_nhwc ? nhwc : nchw, to_nhwc ? nchw : nhwc);
        }
      }
    }
  };
  sim::IssueWith(core, op.instruction(), [&](sim::Flows &flows) {
    each([&](uint64_t result, uint64_t source) {
      flows.Move(sim::BitsOf(dst, result * sizeof(T), sizeof(T)),
                 sim::BitsOf(src, source * sizeof(T), sizeof(T)));
    });
  });
  const T *from = sim::Pointer<T>(core, src);
  const std::vector<T> copy(from, from + count);
  T *to = sim::Pointer<T>(core, dst);
  each([&](uint64_t result, uint64_t source) { to[result] = copy[source]; });
}

}  // namespace AscendC
