// SPDX-License-Identifier: Apache-2.0
// Compare and Select.
#pragma once

#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "sim/compare.h"
#include "sim/select.h"

namespace AscendC {

// The results are bits, whatever the element type of dst. The mask arguments of Compare and CompareScalar are
// reserved on Atlas A2 and change nothing.
#define SIM_COMPARE(Mask)                                                                               \
  template <typename T, typename U, bool isSetMask = true>                                              \
  __aicore__ inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,                 \
                                 const LocalTensor<T> &src1, CMPMODE cmpMode, Mask, uint8_t repeatTime, \
                                 const BinaryRepeatParams &repeatParams,                                \
                                 sim::Where where = sim::Where::Here()) {                               \
    sim::Compare(sim::As<uint8_t>(dst), src0, src1, cmpMode, sim::AllLanes{repeatTime},                 \
                 sim::Strides{repeatParams.src0BlkStride, repeatParams.src0RepStride},                  \
                 sim::Strides{repeatParams.src1BlkStride, repeatParams.src1RepStride}, where);          \
  }
SIM_COMPARE(const uint64_t[])
SIM_COMPARE(const uint64_t)
#undef SIM_COMPARE

template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                               const LocalTensor<T> &src1, CMPMODE cmpMode, uint32_t count,
                               sim::Where where = sim::Where::Here()) {
  const uint32_t lanes = sim::kRepeatBytes / sizeof(T);
  sim::InChunks(sim::CheckCompareCount<T>("Compare", count, where) / lanes,
                [&](int64_t first, int64_t repeats) {
                  const uint32_t start = static_cast<uint32_t>(first * lanes);
                  sim::Compare(sim::As<uint8_t>(dst)[start / 8], src0[start], src1[start], cmpMode,
                               sim::AllLanes{repeats}, sim::Strides(), sim::Strides(), where);
                });
}

// Compares into the register CMPMASK.
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                               const uint64_t mask[], const BinaryRepeatParams &repeatParams,
                               sim::Where where = sim::Where::Here()) {
  sim::CompareToRegister(src0, src1, cmpMode, isSetMask, mask,
                         sim::Strides{repeatParams.src0BlkStride, repeatParams.src0RepStride},
                         sim::Strides{repeatParams.src1BlkStride, repeatParams.src1RepStride}, where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                               const uint64_t mask, const BinaryRepeatParams &repeatParams,
                               sim::Where where = sim::Where::Here()) {
  sim::CompareToRegister(src0, src1, cmpMode, isSetMask, mask,
                         sim::Strides{repeatParams.src0BlkStride, repeatParams.src0RepStride},
                         sim::Strides{repeatParams.src1BlkStride, repeatParams.src1RepStride}, where);
}

template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T> &dst, sim::Where where = sim::Where::Here()) {
  sim::VectorOp op("GetCmpMask", 4, where);
  sim::Operand operand = sim::Run("dst", dst, true, 16);
  operand.alignment = 16;
  op.Add(operand, dst);
  op.IssueWith([&](sim::Flows &flows) {
    flows.Move(sim::BitsOf(dst, 0, 16), {sim::kRegisterFile, sim::kCompareMaskAt, 16});
  });
  std::memcpy(sim::Pointer<uint8_t>(op.core(), dst), op.core().registers.compare_mask.data(), 16);
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T> &src, sim::Where where = sim::Where::Here()) {
  sim::SetCompareMask(src, where);
}

#define SIM_COMPARE_SCALAR(Name)                                                                           \
  template <typename T, typename U, bool isSetMask = true>                                                 \
  __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,   \
                              CMPMODE cmpMode, const uint64_t[], uint8_t repeatTime,                       \
                              const UnaryRepeatParams &repeatParams,                                       \
                              sim::Where where = sim::Where::Here()) {                                     \
    sim::CompareScalar(#Name, sim::As<uint8_t>(dst), src0, src1Scalar, cmpMode, sim::AllLanes{repeatTime}, \
                       sim::Strides{repeatParams.srcBlkStride, repeatParams.srcRepStride}, where);         \
  }                                                                                                        \
  template <typename T, typename U, bool isSetMask = true>                                                 \
  __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,   \
                              CMPMODE cmpMode, const uint64_t, uint8_t repeatTime,                         \
                              const UnaryRepeatParams &repeatParams,                                       \
                              sim::Where where = sim::Where::Here()) {                                     \
    sim::CompareScalar(#Name, sim::As<uint8_t>(dst), src0, src1Scalar, cmpMode, sim::AllLanes{repeatTime}, \
                       sim::Strides{repeatParams.srcBlkStride, repeatParams.srcRepStride}, where);         \
  }                                                                                                        \
  template <typename T, typename U>                                                                        \
  __aicore__ inline void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,   \
                              CMPMODE cmpMode, uint32_t count, sim::Where where = sim::Where::Here()) {    \
    const uint32_t lanes = sim::kRepeatBytes / sizeof(T);                                                  \
    sim::InChunks(sim::CheckCompareCount<T>(#Name, count, where) / lanes,                                  \
                  [&](int64_t first, int64_t repeats) {                                                    \
                    const uint32_t start = static_cast<uint32_t>(first * lanes);                           \
                    sim::CompareScalar(#Name, sim::As<uint8_t>(dst)[start / 8], src0[start], src1Scalar,   \
                                       cmpMode, sim::AllLanes{repeats}, sim::Strides(), where);            \
                  });                                                                                      \
  }
SIM_COMPARE_SCALAR(CompareScalar)
SIM_COMPARE_SCALAR(Compares)
#undef SIM_COMPARE_SCALAR

// A bit of 1 selects src0, a bit of 0 selects src1. Select sets the mask registers for its scratch, and then
// by its argument, whatever isSetMask says.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
                              uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams &repeatParams,
                              sim::Where where = sim::Where::Here()) {
  sim::Select(dst, selMask, src0, src1, selMode, sim::BinaryLevel0(true, mask, repeatTime, repeatParams),
              where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
                              uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams &repeatParams,
                              sim::Where where = sim::Where::Here()) {
  sim::Select(dst, selMask, src0, src1, selMode, sim::BinaryLevel0(true, mask, repeatTime, repeatParams),
              where);
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
                              uint32_t count, sim::Where where = sim::Where::Here()) {
  sim::Select(dst, selMask, src0, src1, selMode, sim::Level2{count}, where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, T src1, SELMODE selMode, uint64_t mask[],
                              uint8_t repeatTime, const BinaryRepeatParams &repeatParams,
                              sim::Where where = sim::Where::Here()) {
  sim::SelectScalar(dst, selMask, src0, src1, selMode,
                    sim::BinaryLevel0(true, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, T src1, SELMODE selMode, uint64_t mask,
                              uint8_t repeatTime, const BinaryRepeatParams &repeatParams,
                              sim::Where where = sim::Where::Here()) {
  sim::SelectScalar(dst, selMask, src0, src1, selMode,
                    sim::BinaryLevel0(true, mask, repeatTime, repeatParams), where);
}
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, T src1, SELMODE selMode, uint32_t count,
                              sim::Where where = sim::Where::Here()) {
  sim::SelectScalar(dst, selMask, src0, src1, selMode, sim::Level2{count}, where);
}

// The register CMPMASK holds the bits (mode 0) or the address of a selMask (mode 2); the mask registers
// choose lanes.
template <typename T, SELMODE selMode>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, uint8_t repeatTime,
                              const BinaryRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::SelectByRegister(dst, src0, src1, selMode,
                        sim::BinaryLevel0(false, MASK_PLACEHOLDER, repeatTime, repeatParams), where);
}
// The register holds the scalar that a bit of 0 selects.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                              const LocalTensor<T> &src0, uint8_t repeatTime,
                              const BinaryRepeatParams &repeatParams, sim::Where where = sim::Where::Here()) {
  sim::SelectRegisterScalar(dst, selMask, src0,
                            sim::BinaryLevel0(false, MASK_PLACEHOLDER, repeatTime, repeatParams), where);
}

}  // namespace AscendC
