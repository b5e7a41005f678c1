// SPDX-License-Identifier: Apache-2.0
// Conversions between element types.
#pragma once

#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "sim/packed_cast.h"

namespace sim {

template <typename T, typename U>
constexpr bool kReluCastTypes =
    std::is_same_v<T, int8_t> ? kOneOf<U, half, int16_t>
                              : std::is_same_v<T, half> && std::is_same_v<U, float>;

template <bool by_lane, bool high_half, typename T, typename U, typename Level>
void Dequantise(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src, const Level &level,
                Where where) {
  if constexpr (std::is_same_v<U, int32_t> && std::is_same_v<T, half>) {
    Cast(dst, src, AscendC::RoundMode::CAST_NONE, level, where);
  } else {
    static_assert(std::is_same_v<U, int16_t> && kOneOf<T, int8_t, uint8_t>,
                  "CastDequant: element types not available on Atlas A2");
    CastDequant(dst, src, by_lane, high_half, level, where);
  }
}

constexpr uint64_t AsMask(int32_t mask) { return static_cast<uint64_t>(mask); }
constexpr const uint64_t *AsMask(const uint64_t mask[]) { return mask; }

}  // namespace sim

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

// Half and int4b_t, of which two lie in a byte. The mask and the count are those of half.
#define SIM_CAST_INT4(Mask)                                                                  \
  template <typename T = int4b_t, typename U = half, bool isSetMask = true>                  \
  __aicore__ inline void Cast(const LocalTensor<int4b_t> &dst, const LocalTensor<half> &src, \
                              const RoundMode &roundMode, Mask, const uint8_t repeatTime,    \
                              const UnaryRepeatParams &repeatParams,                         \
                              sim::Where where = sim::Where::Here()) {                       \
    sim::CastToInt4(dst.ReinterpretCast<uint8_t>(), src, roundMode,                          \
                    sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);     \
  }                                                                                          \
  template <typename T = half, typename U = int4b_t, bool isSetMask = true>                  \
  __aicore__ inline void Cast(const LocalTensor<half> &dst, const LocalTensor<int4b_t> &src, \
                              const RoundMode &, Mask, const uint8_t repeatTime,             \
                              const UnaryRepeatParams &repeatParams,                         \
                              sim::Where where = sim::Where::Here()) {                       \
    sim::CastFromInt4(dst, src.ReinterpretCast<uint8_t>(),                                   \
                      sim::UnaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);   \
  }
SIM_CAST_INT4(const uint64_t mask[])
SIM_CAST_INT4(const uint64_t mask)
#undef SIM_CAST_INT4
__aicore__ inline void Cast(const LocalTensor<int4b_t> &dst, const LocalTensor<half> &src,
                            const RoundMode &roundMode, const uint32_t count,
                            sim::Where where = sim::Where::Here()) {
  sim::CastToInt4(dst.ReinterpretCast<uint8_t>(), src, roundMode, sim::Int4Count{count}, where);
}
__aicore__ inline void Cast(const LocalTensor<half> &dst, const LocalTensor<int4b_t> &src, const RoundMode &,
                            const uint32_t count, sim::Where where = sim::Where::Here()) {
  sim::CastFromInt4(dst, src.ReinterpretCast<uint8_t>(), sim::Int4Count{count}, where);
}

// The form of an instruction that has a mask: an array of bits, or a number of lanes.
#define SIM_MASKED(Name, Mask, Lane, Condition)                                           \
  template <typename T, typename U, bool isSetMask = true>                                \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0,      \
                              const LocalTensor<U> &src1, Mask, const uint8_t repeatTime, \
                              const BinaryRepeatParams &repeatParams,                     \
                              sim::Where where = sim::Where::Here()) {                    \
    static_assert(Condition, #Name ": element types not available on Atlas A2");          \
    sim::Binary(#Name, sim::ThenCast<T, U, Lane>(), dst, src0, src1,                      \
                sim::BinaryLevel0(isSetMask, mask, repeatTime, repeatParams), where);     \
  }

// dst = Cast(Relu(src0 + src1)), Cast(Relu(src0 - src1)) and Cast(src0 * src1).
#define SIM_COMPUTED_CAST(Name, Lane, Condition)                                                 \
  SIM_MASKED(Name, uint64_t mask[], Lane, Condition)                                             \
  SIM_MASKED(Name, uint64_t mask, Lane, Condition)                                               \
  template <typename T, typename U>                                                              \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0,             \
                              const LocalTensor<U> &src1, const uint32_t count,                  \
                              sim::Where where = sim::Where::Here()) {                           \
    static_assert(Condition, #Name ": element types not available on Atlas A2");                 \
    sim::Binary(#Name, sim::ThenCast<T, U, Lane>(), dst, src0, src1, sim::Level2{count}, where); \
  }
SIM_COMPUTED_CAST(AddReluCast, sim::ThenRelu<sim::AddLane>, (sim::kReluCastTypes<T, U>))
SIM_COMPUTED_CAST(SubReluCast, sim::ThenRelu<sim::SubLane>, (sim::kReluCastTypes<T, U>))
SIM_COMPUTED_CAST(MulCast, sim::MulLane, (std::is_same_v<U, half> && sim::kOneOf<T, int8_t, uint8_t>))
#undef SIM_COMPUTED_CAST
#undef SIM_MASKED

// Sets the register DEQSCALE: the factor of a Cast from int32_t to half, or what CastDequant to 8 bits takes.
__aicore__ inline void SetDeqScale(half scale) {
  sim::Registers &registers = sim::Core::Current().registers;
  registers.deq_config = scale.bits;
  registers.deq_scale = scale;
}
__aicore__ inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  sim::Core::Current().registers.deq_config = sim::DeqWord::Of(scale, offset, signMode).bits;
}

// A scale, an offset and a sign for each of the 16 lanes of a data block.
struct VdeqInfo {
  VdeqInfo() {}
  VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16]) {
    std::copy_n(scales, 16, vdeqScale);
    std::copy_n(offsets, 16, vdeqOffset);
    std::copy_n(signs, 16, vdeqSignMode);
  }

  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};
};
template <typename T>
__aicore__ inline void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &vdeqInfo,
                                   sim::Where where = sim::Where::Here()) {
  static_assert(sizeof(T) == sizeof(uint64_t), "SetDeqScale: vdeq must have elements of type uint64_t");
  for (uint32_t i = 0; i < 16; ++i) {
    const sim::DeqWord word =
        sim::DeqWord::Of(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]);
    vdeq.SetValue(i, word.bits, where);
  }
  sim::Core::Current().registers.deq_config = vdeq.GetPhyAddr() / sim::kBlockBytes;
}

// int32_t to half by the factor of SetDeqScale; int16_t to 8 bits by its scale, offset and sign, or with
// isVecDeq by those of each lane. The results of 8 bits take the second half of each data block of dst
// (halfBlock), or the first one.
#define SIM_CAST_DEQUANT(Name, Mask)                                                                    \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true> \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask,               \
                              uint8_t repeatTime, const UnaryRepeatParams &repeatParams,                \
                              sim::Where where = sim::Where::Here()) {                                  \
    sim::Dequantise<isVecDeq, halfBlock>(                                                               \
        dst, src, sim::UnaryLevel0(isSetMask, sim::AsMask(mask), repeatTime, repeatParams), where);     \
  }
#define SIM_CAST_DEQUANTS(Name)                                                                           \
  SIM_CAST_DEQUANT(Name, const uint64_t mask[])                                                           \
  SIM_CAST_DEQUANT(Name, const int32_t mask)                                                              \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                          \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count, \
                              sim::Where where = sim::Where::Here()) {                                    \
    sim::Dequantise<isVecDeq, halfBlock>(dst, src, sim::Level2{count}, where);                            \
  }
SIM_CAST_DEQUANTS(CastDequant)
SIM_CAST_DEQUANTS(CastDeq)
#undef SIM_CAST_DEQUANTS
#undef SIM_CAST_DEQUANT

}  // namespace AscendC
