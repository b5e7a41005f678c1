// SPDX-License-Identifier: Apache-2.0
// Conversions between element types.
#pragma once

#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "sim/cast.h"

namespace AscendC {

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint64_t mask[], const uint8_t repeatTime,
                            const UnaryRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::Cast(dst, src, roundMode, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint64_t mask, const uint8_t repeatTime,
                            const UnaryRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::Cast(dst, src, roundMode, sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                            const uint32_t count, sim::Where where = sim::Where::Here()) {
  sim::Cast(dst, src, roundMode, sim::Level2{count}, where);
}

// Sets the factor of a Cast from int32_t to half.
__aicore__ inline void SetDeqScale(half scale) { sim::Core::Current().registers.deq_scale = scale; }

}  // namespace AscendC
