// SPDX-License-Identifier: Apache-2.0
// Writes firstValue, firstValue + 1, … to the lanes.
#pragma once

#include "sim/vector_op.h"

namespace sim {

// Lane i of repeat r gets first + step * (r * lanes + i), rounded once.
template <typename T, typename Level>
void Sequence(const char *name, const AscendC::LocalTensor<T> &dst, T first, T step, const Level &level,
              Where where) {
  static_assert(kOneOf<T, int16_t, half, int32_t, float>,
                "CreateVecIndex: element type not available on Atlas A2");
  VectorOp op(name, sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Issue();
  to.Resolve(op.core());
  using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
      if (op.counted() || op.Active(lane)) {
        const auto index = static_cast<Wide>(static_cast<int64_t>(r) * op.lanes() + lane);
        *to.At(r, lane) =
            static_cast<T>(static_cast<Wide>(Widen(first)) + static_cast<Wide>(Widen(step)) * index);
      }
    }
  }
}

}  // namespace sim

namespace AscendC {

template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask,
                                      uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                                      sim::Where where = sim::Where::Here()) {
  sim::Sequence("CreateVecIndex", dst, firstValue, T(1),
                sim::Level0<uint64_t>{true, mask, repeatTime, {sim::Strides{dstBlkStride, dstRepStride}}},
                where);
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, const uint64_t mask[],
                                      uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                                      sim::Where where = sim::Where::Here()) {
  sim::Sequence(
      "CreateVecIndex", dst, firstValue, T(1),
      sim::Level0<const uint64_t *>{true, mask, repeatTime, {sim::Strides{dstBlkStride, dstRepStride}}},
      where);
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint32_t count,
                                      sim::Where where = sim::Where::Here()) {
  sim::Sequence("CreateVecIndex", dst, firstValue, T(1), sim::Level2{count}, where);
}

}  // namespace AscendC
