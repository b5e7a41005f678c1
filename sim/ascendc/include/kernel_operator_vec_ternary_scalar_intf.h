// SPDX-License-Identifier: Apache-2.0
// dst = src * scalar + dst.
#pragma once

#include "kernel_operator_vec_unary_intf.h"

namespace sim {

template <typename T, typename U, typename Level>
void Axpy(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src, U scalar,
          const Level &level, Where where) {
  static_assert(kMulAddTypes<T, U>, "Axpy: element types not available on Atlas A2");
  const Compute<U> factor = scalar;
  Accumulate(
      "Axpy", [=](Compute<T> old, Compute<U> value) { return MulAddLane<T>()(old, value, factor); }, dst, src,
      level, where);
}

}  // namespace sim

namespace AscendC {

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                            uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,
                            sim::Where where = sim::Where::Here()) {
  sim::Axpy(dst, src, scalarValue, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                            uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,
                            sim::Where where = sim::Where::Here()) {
  sim::Axpy(dst, src, scalarValue, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U>
__aicore__ inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                            const int32_t &count, sim::Where where = sim::Where::Here()) {
  sim::Axpy(dst, src, scalarValue, sim::Level2{count}, where);
}

}  // namespace AscendC
