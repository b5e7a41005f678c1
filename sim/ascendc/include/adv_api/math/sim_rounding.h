// SPDX-License-Identifier: Apache-2.0
// The body of Ceil, Floor, Round and Trunc: a conversion from float to float; half is converted to float
// first.
#pragma once

#include "../../kernel_tpipe.h"
#include "../../sim/cast.h"

namespace sim {

// Ceil and Floor may not overlap their source.
constexpr Sharing RoundingShares(RoundMode mode) {
  return mode == RoundMode::CAST_CEIL || mode == RoundMode::CAST_FLOOR ? Sharing::kNone : Sharing::kInPlace;
}

// Work tensors of half hold floats, at least 32 of them.
inline void CheckRoundingWork(Core &core, const char *name, uint64_t bytes, Where where) {
  constexpr uint64_t kLeast = 32 * sizeof(float);
  if (bytes >= kLeast) return;
  core.Fail(
      FaultKind::kUbCapacity, name, where,
      "of half it needs a work tensor of at least " + std::to_string(kLeast) +
          " bytes, or as many between the kernel's buffers and the last 128 bytes of the Unified Buffer, "
          "got " +
          std::to_string(bytes));
}

template <RoundMode mode, typename T>
void RoundTo(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
             const AscendC::LocalTensor<uint8_t> *work, uint32_t count, Where where) {
  static_assert(kOneOf<T, half, float>, "rounding: element type not available on Atlas A2");
  VectorOp op(name, sizeof(T), where);
  if (!op.Count(count)) {
    return;
  }
  if (std::is_same_v<T, half> && work != nullptr) CheckRoundingWork(op.core(), name, work->bytes, where);
  auto to = op.Write<T>("dst", dst, op.Dense<T>());
  op.Share(RoundingShares(mode));
  auto from = op.Read<T>("src", src, op.Dense<T>());
  // Nobody may rely on what the work tensor holds afterwards.
  const uint64_t used =
      work == nullptr ? 0 : std::min<uint64_t>(work->bytes, AlignUp(count * sizeof(float), kBlockBytes));
  if (used > 0) {
    op.Add(Run("sharedTmpBuffer", *work, true, used), *work);
  }
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      flows.Depend(op.BitsOf(to, r, lane), op.BitsOf(from, r, lane));
    });
  });
  if (used > 0) {
    std::memset(op.core().Memory(work->space, work->address), 0xA5, used);
  }
  op.Map([](float value) { return Integral<mode>(value) + 0.0F; }, to, from);
}

// Without a work tensor half takes one from the end of UB.
template <RoundMode mode, typename T>
void RoundOnStack(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                  uint32_t count, Where where) {
  AscendC::LocalTensor<uint8_t> work;
  const bool needs_work = std::is_same_v<T, half> && count != 0;
  if (needs_work) AscendC::PopStackBuffer<uint8_t, AscendC::TPosition::LCM>(work, where);
  RoundTo<mode>(name, dst, src, needs_work ? &work : nullptr, count, where);
}

}  // namespace sim

#define SIM_ROUNDING(Name, Mode)                                                                    \
  namespace AscendC {                                                                               \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount, \
                              sim::Where where = sim::Where::Here()) {                              \
    sim::RoundTo<RoundMode::Mode>(#Name, dstTensor, srcTensor, &sharedTmpBuffer, calCount, where);  \
  }                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                 \
  __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,     \
                              const uint32_t calCount, sim::Where where = sim::Where::Here()) {     \
    sim::RoundOnStack<RoundMode::Mode>(#Name, dstTensor, srcTensor, calCount, where);               \
  }                                                                                                 \
  }
