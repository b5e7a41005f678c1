// SPDX-License-Identifier: Apache-2.0
// Gathers by byte offset.
#pragma once

#include "sim/gather.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<uint32_t> &offset, const uint8_t repeatTime,
                               const GatherRepeatParams &repeatParams,
                               sim::Where where = sim::Where::Here()) {
  sim::Gatherb(dst, src, offset, repeatTime, repeatParams, where);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset,
                              const uint64_t mask, const uint8_t repeatTime, const uint16_t dstRepStride,
                              sim::Where where = sim::Where::Here()) {
  sim::Gather(dst, src, srcOffset, srcBaseOffset,
              sim::Level0<uint64_t>{true, mask, repeatTime, {sim::Strides{1, dstRepStride}}}, where);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset,
                              const uint64_t mask[], const uint8_t repeatTime, const uint16_t dstRepStride,
                              sim::Where where = sim::Where::Here()) {
  sim::Gather(dst, src, srcOffset, srcBaseOffset,
              sim::Level0<const uint64_t *>{true, mask, repeatTime, {sim::Strides{1, dstRepStride}}}, where);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset,
                              const uint32_t count, sim::Where where = sim::Where::Here()) {
  sim::GatherCount(dst, src, srcOffset, srcBaseOffset, count, where);
}

}  // namespace AscendC
