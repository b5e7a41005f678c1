// SPDX-License-Identifier: Apache-2.0
// Takes the last columns away from the rows of a matrix, whose lines then follow each other without gaps.
//
//   |abcde...|            rightPad is 3: it is less than a data block of 32 bytes, and leftPad is 0
//   |fghij...|   ──▶  |abcdefghij|
#pragma once

#include "../../kernel_operator_vec_gather_mask_intf.h"
#include "../../kernel_tiling/sim_vector_tiling.h"
#include "../sim_stage.h"

namespace AscendC {

struct UnPadParams {
  UnPadParams() {}
  UnPadParams(const uint16_t leftPadIn, const uint16_t rightPadIn)
      : leftPad(leftPadIn), rightPad(rightPadIn) {}

  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};

template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                             UnPadParams &unPadParams, UnPadTiling &tiling,
                             sim::Where where = sim::Where::Here()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "UnPad: elements of 2 or 4 bytes on Atlas A2");
  sim::Core &core = sim::Core::Current();
  constexpr auto kPerBlock = static_cast<int64_t>(sim::kBlockBytes / sizeof(T));
  sim::CheckRange(core, sim::FaultKind::kOther, "UnPad", where, "unPadParams.leftPad", unPadParams.leftPad, 0,
                  0);
  sim::CheckRange(core, sim::FaultKind::kOther, "UnPad", where, "unPadParams.rightPad", unPadParams.rightPad,
                  0, std::min<int64_t>(kPerBlock, tiling.srcWidth) - 1);
  const uint32_t blocks = static_cast<uint32_t>(tiling.srcWidth * sizeof(T) / sim::kBlockBytes);
  const GatherMaskParams params(1, static_cast<uint16_t>(tiling.srcHeight), static_cast<uint16_t>(blocks), 0);
  uint64_t kept = 0;
  GatherMask(dstTensor, srcTensor, 7, true, tiling.srcWidth - unPadParams.rightPad, params, kept, where);
  PipeBarrier<PIPE_V>(where);
}
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                             UnPadParams &unPadParams, LocalTensor<uint8_t> &, UnPadTiling &tiling,
                             sim::Where where = sim::Where::Here()) {
  UnPad(dstTensor, srcTensor, unPadParams, tiling, where);
}

}  // namespace AscendC
