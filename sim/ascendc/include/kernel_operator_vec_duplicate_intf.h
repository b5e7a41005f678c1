// SPDX-License-Identifier: Apache-2.0
// Writes a scalar to every lane.
#pragma once

#include "sim/vector_op.h"

namespace sim {

template <typename T, typename Level>
void Duplicate(const AscendC::LocalTensor<T> &dst, T scalar, const Level &level, Where where) {
  static_assert(kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Duplicate: element type not available on Atlas A2");
  VectorOp op("Duplicate", sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Issue();
  op.Map([=] { return scalar; }, to);
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask,
                                 const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride, sim::Where where = sim::Where::Here()) {
  sim::Duplicate(
      dst, scalarValue,
      sim::Level0<uint64_t>{isSetMask, mask, repeatTime, {sim::Strides{dstBlockStride, dstRepeatStride}}},
      where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask[],
                                 const uint8_t repeatTime, const uint16_t dstBlockStride,
                                 const uint8_t dstRepeatStride, sim::Where where = sim::Where::Here()) {
  sim::Duplicate(dst, scalarValue,
                 sim::Level0<const uint64_t *>{
                     isSetMask, mask, repeatTime, {sim::Strides{dstBlockStride, dstRepeatStride}}},
                 where);
}
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, const int32_t &count,
                                 sim::Where where = sim::Where::Here()) {
  sim::Duplicate(dst, scalarValue, sim::Level2{count}, where);
}

}  // namespace AscendC
