// SPDX-License-Identifier: Apache-2.0
// Brcb: each element of src fills a data block of dst.
#pragma once

#include "kernel_struct_gather.h"
#include "sim/vector_op.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
                            const BrcbRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  static_assert(sim::kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Brcb: element type not available on Atlas A2");
  sim::VectorOp op("Brcb", sizeof(T), where);
  if (!op.Mask(true, sim::kRepeatBytes / sizeof(T), repeatTime)) {
    return;
  }
  if (repeatParams.dstBlkStride == 0) {
    sim::FailRange(op.core(), sim::FaultKind::kStride, "Brcb", where, "dstBlkStride", "at least 1", 0);
  }
  auto to =
      op.template Write<T>("dst", dst, sim::Strides{repeatParams.dstBlkStride, repeatParams.dstRepStride});
  op.Add(sim::Run("src", src, false, repeatTime * 8 * sizeof(T)), src);
  op.Issue();
  to.Resolve(op.core());
  const T *from = sim::Pointer<T>(op.core(), src);
  for (uint32_t i = 0; i < repeatTime * 8U; ++i) {
    const T value = from[i];
    T *block = to.At(i / 8, (i % 8) * sim::Lanes<T>::kPerBlock);
    std::fill(block, block + sim::Lanes<T>::kPerBlock, value);
  }
}

}  // namespace AscendC
