// SPDX-License-Identifier: Apache-2.0
// Exclusive or of 16-bit elements: (a | b) & ~(a & b).
#pragma once

#include "../sim_stage.h"

namespace sim {

template <typename T>
void ExclusiveOr(const char *name, const Bytes *given, uint32_t count, Where where,
                 const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
                 const AscendC::LocalTensor<T> &src1) {
  static_assert(kOneOf<T, int16_t, uint16_t>, "Xor: for int16_t and uint16_t on Atlas A2");
  const Bytes work = WorkOf(given, where);
  CheckWork(name, work, kRepeatBytes, where);
  const uint32_t lanes = static_cast<uint32_t>(work.bytes / kRepeatBytes * kRepeatBytes / sizeof(T));
  const AscendC::LocalTensor<T> both = work.template ReinterpretCast<T>();
  for (uint32_t done = 0; done < count; done += lanes) {
    const auto n = static_cast<int32_t>(std::min(lanes, count - done));
    AscendC::And(both, src0[done], src1[done], n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
    AscendC::Not(both, both, n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
    AscendC::Or(dst[done], src0[done], src1[done], n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
    AscendC::And(dst[done], dst[done], both, n, where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
}

}  // namespace sim

SIM_BINARY_FUNCTION(Xor, sim::ExclusiveOr, LocalTensor<T>, LocalTensor<T>, src0)
