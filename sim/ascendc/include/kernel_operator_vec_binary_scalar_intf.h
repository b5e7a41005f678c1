// SPDX-License-Identifier: Apache-2.0
// Vector instructions with a source tensor and a scalar.
#pragma once

#include "kernel_operator_vec_unary_intf.h"

namespace sim {

// A lane function of two operands, of which the right one is the scalar.
template <typename F, typename T>
struct WithScalar {
  F function;
  Compute<T> scalar;
  Compute<T> operator()(Compute<T> value) const { return function(value, scalar); }
};

// An integer times 0 is 0: so CANN's headers clear memory. A float may be an infinity or NaN.
template <typename T>
constexpr bool IsConstant(const WithScalar<MulLane, T> &multiply) {
  return std::is_integral_v<T> && multiply.scalar == 0;
}

// The sign bit decides, so that -0 is multiplied too.
struct LeakyReluLane {
  template <typename T>
  T operator()(T value, T slope) const {
    const T scaled = value * slope;
    return BitsFloat(Pick((FloatBits(value) >> 31) == 0, FloatBits(value), FloatBits(scaled)));
  }
};

// A shift by `distance` bits. `lane` has the direction.
template <typename T, typename F, typename Level>
void Shift(const char *name, F lane, int64_t distance, const AscendC::LocalTensor<T> &dst,
           const AscendC::LocalTensor<T> &src, const Level &level, Where where) {
  static_assert(kOneOf<T, int16_t, uint16_t, int32_t, uint32_t>,
                "ShiftLeft and ShiftRight: element type not available on Atlas A2");
  CheckRange(Core::Current(), FaultKind::kOther, name, where, "scalarValue", distance, 0, 8 * sizeof(T));
  const uint32_t bits = static_cast<uint32_t>(distance);
  Unary(name, [=](T value) { return lane(value, bits); }, dst, src, level, where);
}

}  // namespace sim

namespace AscendC {

#define SIM_SCALAR(Name, Lane, ...)                                                                       \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              uint64_t mask[], const uint8_t repeatTime,                                  \
                              const UnaryRepeatParams &repeatParams,                                      \
                              sim::Where where = sim::Where::Here()) {                                    \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");         \
    sim::Unary(#Name, sim::WithScalar<sim::Lane, T>{{}, scalarValue}, dst, src,                           \
               sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                       \
  }                                                                                                       \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              uint64_t mask, const uint8_t repeatTime,                                    \
                              const UnaryRepeatParams &repeatParams,                                      \
                              sim::Where where = sim::Where::Here()) {                                    \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");         \
    sim::Unary(#Name, sim::WithScalar<sim::Lane, T>{{}, scalarValue}, dst, src,                           \
               sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                       \
  }                                                                                                       \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              const int32_t &count, sim::Where where = sim::Where::Here()) {              \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Name ": element type not available on Atlas A2");         \
    if (isSetMask) {                                                                                      \
      sim::Unary(#Name, sim::WithScalar<sim::Lane, T>{{}, scalarValue}, dst, src, sim::Level2{count},     \
                 where);                                                                                  \
    } else {                                                                                              \
      sim::Unary(#Name, sim::WithScalar<sim::Lane, T>{{}, scalarValue}, dst, src,                         \
                 sim::UnaryLevel0(false, MASK_PLACEHOLDER, 1, UnaryRepeatParams()), where);               \
    }                                                                                                     \
  }

SIM_SCALAR(Adds, AddLane, half, float, int16_t, int32_t)
SIM_SCALAR(Muls, MulLane, half, float, int16_t, int32_t)
SIM_SCALAR(Maxs, MaxLane, half, float, int16_t, int32_t)
SIM_SCALAR(Mins, MinLane, half, float, int16_t, int32_t)
SIM_SCALAR(LeakyRelu, LeakyReluLane, half, float)
#undef SIM_SCALAR

#define SIM_SHIFT(Name, Lane, RoundParameter, RoundValue)                                                 \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              uint64_t mask[], const uint8_t repeatTime,                                  \
                              const UnaryRepeatParams &repeatParams RoundParameter,                       \
                              sim::Where where = sim::Where::Here()) {                                    \
    sim::Shift(#Name, sim::Lane{RoundValue}, scalarValue, dst, src,                                       \
               sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                       \
  }                                                                                                       \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              uint64_t mask, const uint8_t repeatTime,                                    \
                              const UnaryRepeatParams &repeatParams RoundParameter,                       \
                              sim::Where where = sim::Where::Here()) {                                    \
    sim::Shift(#Name, sim::Lane{RoundValue}, scalarValue, dst, src,                                       \
               sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);                       \
  }                                                                                                       \
  template <typename T, bool isSetMask = true>                                                            \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, \
                              const int32_t &count, sim::Where where = sim::Where::Here()) {              \
    sim::Shift(#Name, sim::Lane{}, scalarValue, dst, src, sim::Level2{count}, where);                     \
  }

#define SIM_NOTHING
#define SIM_ROUND_PARAMETER , bool roundEn = false
SIM_SHIFT(ShiftLeft, ShiftLeftLane, SIM_NOTHING, SIM_NOTHING)
SIM_SHIFT(ShiftRight, ShiftRightLane, SIM_ROUND_PARAMETER, roundEn)
#undef SIM_NOTHING
#undef SIM_ROUND_PARAMETER
#undef SIM_SHIFT

}  // namespace AscendC
