// SPDX-License-Identifier: Apache-2.0
// The body of Ceil, Floor, Round and Trunc: a conversion from float to float; half is converted to float
// first.
#pragma once

#include "../../sim/cast.h"

namespace sim {

template <RoundMode mode, typename T>
void RoundTo(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
             const AscendC::LocalTensor<uint8_t> *work, uint32_t count, Where where) {
  static_assert(kOneOf<T, half, float>, "rounding: element type not available on Atlas A2");
  VectorOp op(name, sizeof(T), where);
  if (!op.Count(count)) {
    return;
  }
  auto to = op.Write<T>("dst", dst, op.Dense<T>());
  auto from = op.Read<T>("src", src, op.Dense<T>());
  // Nobody may rely on what the work tensor holds afterwards.
  const uint64_t used =
      work == nullptr ? 0 : std::min<uint64_t>(work->bytes, AlignUp(count * sizeof(float), kBlockBytes));
  if (used > 0) {
    op.Add(Run("sharedTmpBuffer", *work, true, used), *work);
  }
  op.Issue();
  if (used > 0) {
    std::memset(op.core().Memory(work->space, work->address), 0xA5, used);
  }
  op.Map([](float value) { return Integral<mode>(value) + 0.0F; }, to, from);
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
    sim::RoundTo<RoundMode::Mode, T>(#Name, dstTensor, srcTensor, nullptr, calCount, where);        \
  }                                                                                                 \
  }
