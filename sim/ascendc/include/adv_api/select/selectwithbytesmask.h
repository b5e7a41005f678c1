// SPDX-License-Identifier: Apache-2.0
// Takes an element of a tensor or a scalar, by a mask with an element for each: 0 takes src0, and all else
// src1. A row of the mask may be longer than one of the tensor; the rest of it has no meaning.
#pragma once

#include "../../kernel_operator_vec_cmpsel_intf.h"
#include "../sim_stage.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
  SelectWithBytesMaskShapeInfo() {}

  uint32_t firstAxis = 0;     // rows
  uint32_t srcLastAxis = 0;   // elements of a row of the tensor
  uint32_t maskLastAxis = 0;  // elements of a row of the mask
};

}  // namespace AscendC

namespace sim {

// The elements of a mask as half, 0 where they are 0.
inline void MaskToHalf(const AscendC::LocalTensor<half> &dst, const AscendC::LocalTensor<bool> &mask,
                       uint32_t n, Where where) {
  AscendC::Cast(dst, As<uint8_t>(mask), RoundMode::CAST_NONE, n, where);
}
template <typename U>
void MaskToHalf(const AscendC::LocalTensor<half> &dst, const AscendC::LocalTensor<U> &mask, uint32_t n,
                Where where) {
  static_assert(kOneOf<U, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                "Select: the mask is of bool or of integers of 1, 2 or 4 bytes");
  if constexpr (sizeof(U) == 1) {
    AscendC::Cast(dst, mask, RoundMode::CAST_NONE, n, where);
  } else if constexpr (sizeof(U) == 4) {
    // It saturates, so that only 0 becomes 0.
    AscendC::Cast(As<int16_t>(dst), As<int32_t>(mask), RoundMode::CAST_NONE, n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
    AscendC::Cast(dst, As<int16_t>(dst), RoundMode::CAST_NONE, n, where);
  } else {
    AscendC::Cast(dst, As<int16_t>(mask), RoundMode::CAST_NONE, n, where);
  }
}

// Bits of the elements of a mask that compare with 0 as `mode` says. `numbers` has place for the elements as
// half, in whole repeats.
template <typename U>
void MaskToBits(const AscendC::LocalTensor<uint8_t> &bits, const AscendC::LocalTensor<half> &numbers,
                const AscendC::LocalTensor<U> &mask, AscendC::CMPMODE mode, uint32_t count, Where where) {
  // A comparison takes whole repeats.
  const auto all = static_cast<uint32_t>(AlignUp(count, kRepeatBytes / sizeof(half)));
  AscendC::Duplicate(numbers, static_cast<half>(0.0F), static_cast<int32_t>(all), where);
  AscendC::PipeBarrier<PIPE_V>(where);
  MaskToHalf(numbers, mask, count, where);
  AscendC::PipeBarrier<PIPE_V>(where);
  AscendC::CompareScalar(bits, numbers, static_cast<half>(0.0F), mode, all, where);
  AscendC::PipeBarrier<PIPE_V>(where);
}

// A bit of 1 takes the tensor. Work memory: bits of 2048 elements, and the elements as half.
template <typename T, typename U>
void SelectByBytes(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &tensor, T scalar,
                   const AscendC::LocalTensor<U> &mask, AscendC::CMPMODE takes_tensor, const Bytes &work,
                   const AscendC::SelectWithBytesMaskShapeInfo &info, Where where) {
  static_assert(kOneOf<T, half, float>, "Select by a mask of bytes: for half and float on Atlas A2");
  constexpr uint32_t kBitBytes = 256, kLanes = kRepeatBytes / sizeof(half);
  CheckWork("SelectWithBytesMask", work, kBitBytes + kRepeatBytes, where);
  const Bytes bits = work;
  const AscendC::LocalTensor<half> numbers = As<half>(work[kBitBytes]);
  const auto room = static_cast<uint32_t>((work.bytes - kBitBytes) / kRepeatBytes) * kLanes;
  const uint32_t piece = std::min(room, kBitBytes * 8);
  for (uint32_t row = 0; row < info.firstAxis; ++row) {
    for (uint32_t done = 0; done < info.srcLastAxis; done += piece) {
      const uint32_t count = std::min(piece, info.srcLastAxis - done), at = row * info.srcLastAxis + done;
      MaskToBits(bits, numbers, mask[row * info.maskLastAxis + done], takes_tensor, count, where);
      AscendC::Select(dst[at], bits, tensor[at], scalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, count, where);
      AscendC::PipeBarrier<PIPE_V>(where);
    }
  }
}

}  // namespace sim

namespace AscendC {

// The name of CANN 8 and that of CANN 9.
#define SIM_SELECT(Name)                                                                               \
  template <typename T, typename U, bool isReuseMask = true>                                           \
  __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1,           \
                              const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer, \
                              const SelectWithBytesMaskShapeInfo &info,                                \
                              sim::Where where = sim::Where::Here()) {                                 \
    sim::SelectByBytes(dst, src0, src1, mask, CMPMODE::EQ, sharedTmpBuffer, info, where);              \
  }                                                                                                    \
  template <typename T, typename U, bool isReuseMask = true>                                           \
  __aicore__ inline void Name(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1,           \
                              const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer, \
                              const SelectWithBytesMaskShapeInfo &info,                                \
                              sim::Where where = sim::Where::Here()) {                                 \
    sim::SelectByBytes(dst, src1, src0, mask, CMPMODE::NE, sharedTmpBuffer, info, where);              \
  }
SIM_SELECT(Select)
SIM_SELECT(SelectWithBytesMask)
#undef SIM_SELECT

}  // namespace AscendC
