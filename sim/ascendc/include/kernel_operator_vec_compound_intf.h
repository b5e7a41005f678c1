// SPDX-License-Identifier: Apache-2.0
// Vector functions that Atlas A2 computes by several instructions.
#pragma once

#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_binary_scalar_intf.h"
#include "kernel_operator_vec_brcb_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"
#include "kernel_operator_vec_gather_intf.h"
#include "kernel_operator_vec_vconv_intf.h"

namespace sim {

constexpr float kShift17 = 131072.0F;  // 2^17, by which products leave the range of half

// dst = half(max(0, (src0 + src1) * scale)) of `elements` lanes in whole or counted repeats. As on the device
// it overwrites both sources, and takes the last 8 KB of UB for itself.
//
//   8 KB   = src0 + src1           int32_t
//   src0   = float(8 KB) * 2^-17 * scale * 2^17
//   src1   = half(src0);   8 KB = 0;   dst = max(8 KB, src1)
template <bool isSetMask, typename Lanes>
void AddDeqReluPart(const AscendC::LocalTensor<half> &dst, const AscendC::LocalTensor<int32_t> &src0,
                    const AscendC::LocalTensor<int32_t> &src1, const AscendC::BinaryRepeatParams &p,
                    const Lanes &lanes, Where where) {
  using AscendC::BinaryRepeatParams;
  using AscendC::UnaryRepeatParams;
  const AscendC::LocalTensor<int32_t> sum(AscendC::TPosition::VECCALC, AscendC::TMP_UB_OFFSET,
                                          AscendC::TMP_UB_SIZE / sizeof(int32_t));
  const auto values = src0.ReinterpretCast<float>();
  const auto narrow = src1.ReinterpretCast<half>();
  const auto zero = sum.ReinterpretCast<half>();
  const float scale = Core::Current().registers.deq_scale;
  Core &core = Core::Current();
  const auto next = [&] { core.Barrier(Pipe::V, where); };
  const UnaryRepeatParams wide(1, 1, 8, 8);
  lanes([&](auto mask, uint8_t repeat) {
    AscendC::Add<int32_t, isSetMask>(
        sum, src0, src1, mask, repeat,
        BinaryRepeatParams(1, p.src0BlkStride, p.src1BlkStride, 8, p.src0RepStride, p.src1RepStride), where);
    next();
    AscendC::Cast<float, int32_t, isSetMask>(values, sum, AscendC::RoundMode::CAST_NONE, mask, repeat, wide,
                                             where);
    for (const float factor : {1.0F / kShift17, scale, kShift17}) {
      next();
      AscendC::Muls<float, isSetMask>(values, values, factor, mask, repeat, wide, where);
    }
    next();
    AscendC::Cast<half, float, isSetMask>(narrow, values, AscendC::RoundMode::CAST_NONE, mask, repeat,
                                          UnaryRepeatParams(1, 1, 4, 8), where);
    next();
    AscendC::Duplicate<half, isSetMask>(zero, half(0), mask, 1, 1, 8, where);
    next();
    AscendC::Max<half, isSetMask>(dst, zero, narrow, mask, repeat,
                                  BinaryRepeatParams(p.dstBlkStride, 1, 1, p.dstRepStride, 0, 4), where);
    next();
  });
}

}  // namespace sim

namespace AscendC {

// dst = Relu(half((src0 + src1) * scale)), by the factor of SetDeqScale. The sources are overwritten.
#define SIM_ADD_DEQ_RELU(Mask)                                                                        \
  template <bool isSetMask = true>                                                                    \
  __aicore__ inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,   \
                                    const LocalTensor<int32_t> &src1, Mask, const uint8_t repeatTime, \
                                    const BinaryRepeatParams &repeatParams,                           \
                                    sim::Where where = sim::Where::Here()) {                          \
    constexpr uint32_t kMost = TMP_UB_SIZE / ONE_REPEAT_BYTE_SIZE;                                    \
    for (uint32_t done = 0; done < repeatTime; done += kMost) {                                       \
      const auto part = static_cast<uint8_t>(std::min<uint32_t>(kMost, repeatTime - done));           \
      sim::AddDeqReluPart<isSetMask>(                                                                 \
          dst[done * repeatParams.dstRepStride * ONE_BLK_HALF_NUM],                                   \
          src0[done * repeatParams.src0RepStride * ONE_BLK_FLOAT_NUM],                                \
          src1[done * repeatParams.src1RepStride * ONE_BLK_FLOAT_NUM], repeatParams,                  \
          [&](auto issue) { issue(mask, part); }, where);                                             \
    }                                                                                                 \
  }
SIM_ADD_DEQ_RELU(uint64_t mask[])
SIM_ADD_DEQ_RELU(uint64_t mask)
#undef SIM_ADD_DEQ_RELU

__aicore__ inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                                  const LocalTensor<int32_t> &src1, const int32_t &count,
                                  sim::Where where = sim::Where::Here()) {
  constexpr uint32_t kLanes = ONE_REPEAT_FLOAT_SIZE;
  const auto whole = static_cast<uint32_t>(count) / kLanes;
  const BinaryRepeatParams dense(1, 1, 1, 4, 8, 8);
  for (uint32_t done = 0; done < whole; done += MAX_REPEAT_TIMES) {
    const auto part = static_cast<uint8_t>(std::min<uint32_t>(MAX_REPEAT_TIMES, whole - done));
    AddDeqRelu(dst[done * kLanes], src0[done * kLanes], src1[done * kLanes], uint64_t{kLanes}, part, dense,
               where);
  }
  const uint32_t tail = static_cast<uint32_t>(count) % kLanes;
  if (tail == 0) return;
  AddDeqRelu(dst[whole * kLanes], src0[whole * kLanes], src1[whole * kLanes], uint64_t{tail}, 1, dense,
             where);
}

// Gathers data blocks of src0 by their byte offsets, multiplies them by src1, and sums hRepeat repeats to
// one.
//
//   repeat of sharedTmpBuffer:   |src0Offset[0]|src0Offset[1]|...|src0Offset[7]|   hRepeat x vRepeat of them
//   times, repeatMode false:     |             src1[r]                         |   one value for a repeat
//   times, repeatMode true:      |  src1[8 r]  | src1[8 r + 1]|...|src1[8 r + 7]|   one for a data block
//   dst + v * vROffset         = the sum of the repeats v * hRepeat to (v + 1) * hRepeat - 1
#define SIM_BILINEAR(Mask)                                                                                   \
  template <typename T>                                                                                      \
  __aicore__ inline void BilinearInterpolation(                                                              \
      const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src0Offset,        \
      const LocalTensor<T> &src1, Mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,             \
      uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t> &sharedTmpBuffer,                       \
      sim::Where where = sim::Where::Here()) {                                                               \
    static_assert(std::is_same_v<T, half>, "BilinearInterpolation: element type not available on Atlas A2"); \
    sim::Core &core = sim::Core::Current();                                                                  \
    const uint32_t repeats = uint32_t{hRepeat} * vRepeat;                                                    \
    sim::CheckRange(core, sim::FaultKind::kRepeat, "BilinearInterpolation", where, "hRepeat * vRepeat",      \
                    repeats, 1, MAX_REPEAT_TIMES);                                                           \
    constexpr uint32_t kLanes = ONE_REPEAT_HALF_SIZE;                                                        \
    const LocalTensor<T> products = sharedTmpBuffer.template ReinterpretCast<T>();                           \
    const LocalTensor<T> factors = products[repeats * kLanes];                                               \
    AscendC::Gatherb(sim::As<uint16_t>(products), sim::As<uint16_t>(src0), src0Offset,                       \
                     static_cast<uint8_t>(repeats), GatherRepeatParams(1, 8), where);                        \
    AscendC::Brcb(factors, src1, static_cast<uint8_t>(src1.GetSize() / BRCB_BROADCAST_NUMBER),               \
                  BrcbRepeatParams(1, 8), where);                                                            \
    core.Barrier(sim::Pipe::V, where);                                                                       \
    Mul(products, factors, products, uint64_t{kLanes}, static_cast<uint8_t>(repeats),                        \
        repeatMode ? BinaryRepeatParams(1, 1, 1, 8, 8, 8) : BinaryRepeatParams(1, 0, 1, 8, 1, 8), where);    \
    core.Barrier(sim::Pipe::V, where);                                                                       \
    for (uint32_t v = 0; v < vRepeat && hRepeat > 1; ++v) {                                                  \
      const uint32_t first = v * hRepeat * kLanes;                                                           \
      Add(products[first], products[first + kLanes], products[first], mask,                                  \
          static_cast<uint8_t>(hRepeat - 1), BinaryRepeatParams(1, 1, 1, 0, 8, 0), where);                   \
    }                                                                                                        \
    core.Barrier(sim::Pipe::V, where);                                                                       \
    Adds(dst, products, T(0), mask, vRepeat,                                                                 \
         UnaryRepeatParams(dstBlkStride, 1, static_cast<uint8_t>(vROffset * sizeof(T) / ONE_BLK_SIZE),       \
                           static_cast<uint8_t>(hRepeat * DEFAULT_REPEAT_STRIDE)),                           \
         where);                                                                                             \
  }
SIM_BILINEAR(uint64_t mask[])
SIM_BILINEAR(uint64_t mask)
#undef SIM_BILINEAR

}  // namespace AscendC
