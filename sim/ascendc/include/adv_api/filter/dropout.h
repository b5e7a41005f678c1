// SPDX-License-Identifier: Apache-2.0
// Keeps the elements of a tensor that a mask names, divided by the share of those that are kept; the others
// become 0. The mask has a byte or a bit for each element. Where its rows are longer than those of the
// tensor, the rest of a row has no meaning.
//
//   mode 1   bytes, rows of the mask are longer        mode 3   bits, rows are as long
//   mode 2   bytes, rows are as long                   mode 4   bits, rows of the mask are longer
//   mode 0   what of these the shapes say
#pragma once

#include "../select/selectwithbytesmask.h"

namespace AscendC {

struct DropOutShapeInfo {
  DropOutShapeInfo() {}

  uint32_t firstAxis = 0;     // rows
  uint32_t srcLastAxis = 0;   // elements of a row of the tensor
  uint32_t maskLastAxis = 0;  // bytes of a row of the mask
};

}  // namespace AscendC

namespace sim {

template <typename T>
struct DropOutOperands {
  const AscendC::LocalTensor<T> &dst;
  const AscendC::LocalTensor<T> &src;
  const Bytes &mask;
  T factor;
  Where where;

  // Takes the elements whose bits are 1. An instruction takes the bits where a data block begins.
  void Take(uint32_t at, const Bytes &bits, uint32_t count) const {
    AscendC::Select(dst[at], bits, src[at], static_cast<T>(0.0F), SELMODE::VSEL_TENSOR_SCALAR_MODE, count,
                    where);
    AscendC::PipeBarrier<PIPE_V>(where);
    AscendC::Muls(dst[at], dst[at], factor, static_cast<int32_t>(count), where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
};

inline uint32_t DropOutMode(const AscendC::DropOutShapeInfo &info) {
  if (info.srcLastAxis < info.maskLastAxis) return 1;
  if (info.srcLastAxis == info.maskLastAxis) return 2;
  return info.srcLastAxis == info.maskLastAxis * 8 ? 3 : 4;
}

// A mask whose rows begin anywhere is packed, in its own memory, as CANN does it.
template <typename T>
void DropOutByBits(const DropOutOperands<T> &o, const AscendC::DropOutShapeInfo &info, bool padded) {
  const uint32_t elements = info.firstAxis * info.srcLastAxis;
  if (padded) {
    const AscendC::LocalTensor<uint16_t> words = As<uint16_t>(o.mask);
    const AscendC::GatherMaskParams params(1, static_cast<uint16_t>(info.firstAxis),
                                           static_cast<uint16_t>(info.maskLastAxis / kBlockBytes), 0);
    uint64_t kept = 0;
    AscendC::GatherMask(words, words, 7, true, info.srcLastAxis / 16, params, kept, o.where);
    AscendC::PipeBarrier<PIPE_V>(o.where);
  }
  o.Take(0, o.mask, elements);
}

// Row by row; rows of a mask without gaps are one row.
template <typename T>
void DropOutByBytes(const DropOutOperands<T> &o, const AscendC::DropOutShapeInfo &info, const Bytes *given) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(half);
  const Bytes work = WorkOf(given, o.where);
  CheckWork("DropOut", work, 2 * kRepeatBytes, o.where);
  const auto piece = static_cast<uint32_t>((work.bytes - kRepeatBytes) / kRepeatBytes) * kLanes;
  const AscendC::LocalTensor<half> numbers = As<half>(work[static_cast<uint32_t>(kRepeatBytes)]);
  const bool whole = info.srcLastAxis == info.maskLastAxis;
  const uint32_t rows = whole ? 1 : info.firstAxis;
  const uint32_t columns = whole ? info.firstAxis * info.srcLastAxis : info.srcLastAxis;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t done = 0; done < columns; done += std::min<uint32_t>(piece, 8 * kRepeatBytes)) {
      const uint32_t count = std::min({piece, columns - done, static_cast<uint32_t>(8 * kRepeatBytes)});
      MaskToBits(work, numbers, o.mask[row * info.maskLastAxis + done], AscendC::CMPMODE::NE, count, o.where);
      o.Take(row * columns + done, work, count);
    }
  }
}

inline float FactorOfKept(float keep, Where where) {
  if (keep > 0 && keep <= 1) return 1 / keep;
  Core::Current().Fail(FaultKind::kOther, "DropOut", where,
                       "keepProb must be above 0 and at most 1, got " + std::to_string(keep));
}

template <uint32_t mode, typename T>
void DropOut(const DropOutOperands<T> &o, const Bytes *given, const AscendC::DropOutShapeInfo &info) {
  static_assert(kOneOf<T, half, float>, "DropOut: for half and float on Atlas A2");
  static_assert(mode <= 4, "DropOut: dropOutMode is in [0, 4]");
  CheckRange(Core::Current(), FaultKind::kCount_, "DropOut", o.where, "info.maskLastAxis", info.maskLastAxis,
             1, UINT32_MAX);
  const uint32_t chosen = mode == 0 ? DropOutMode(info) : mode;
  const auto multiple = [&](const char *what, uint32_t value, uint32_t of) {
    if (value % of == 0) return;
    FailRange(Core::Current(), FaultKind::kCount_, "DropOut", o.where, what,
              "a multiple of " + std::to_string(of) + " where rows of the bits are longer", value);
  };
  if (chosen == 4) {
    multiple("info.srcLastAxis", info.srcLastAxis, 16);
    multiple("info.maskLastAxis", info.maskLastAxis, kBlockBytes);
  }
  chosen <= 2 ? DropOutByBytes(o, info, given) : DropOutByBits(o, info, chosen == 4);
}

}  // namespace sim

namespace AscendC {

#define SIM_DROP_OUT(memory, ...)                                                                         \
  template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                             \
  __aicore__ inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,          \
                                 const LocalTensor<uint8_t> &maskLocal __VA_ARGS__, const float keepProb, \
                                 const DropOutShapeInfo &info, sim::Where where = sim::Where::Here()) {   \
    const sim::DropOutOperands<T> operands{dstLocal, srcLocal, maskLocal,                                 \
                                           static_cast<T>(sim::FactorOfKept(keepProb, where)), where};    \
    sim::DropOut<dropOutMode>(operands, memory, info);                                                    \
  }
SIM_DROP_OUT(nullptr)
SIM_DROP_OUT(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_DROP_OUT

}  // namespace AscendC
