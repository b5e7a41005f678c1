// SPDX-License-Identifier: Apache-2.0
// One step of Welford's way to a mean and a variance, for each lane:
//
//   mean' = mean + (x - mean) / i        m' = m + (x - mean) (x - mean')
#pragma once

#include "../sim_stage.h"
#include "layernorm_utils.h"

namespace sim {

// A result that lies on a source would be read as the source.
template <typename T>
void CheckApart(const Floats &result, const AscendC::LocalTensor<T> &source, uint64_t count, Where where) {
  if (result.address >= source.address + count * sizeof(T) ||
      source.address >= result.address + count * sizeof(float)) {
    return;
  }
  Core::Current().Fail(FaultKind::kOverlap, "WelfordUpdate", where,
                       "results must not lie on sources, got a result at byte " +
                           std::to_string(result.address) + " and a source at byte " +
                           std::to_string(source.address));
}

template <const AscendC::WelfordUpdateConfig &config, typename T>
void WelfordUpdate(const Floats &mean_after, const Floats &sum_after, const Floats &mean, const Floats &sum,
                   const AscendC::LocalTensor<T> &x, const Bytes *given,
                   const AscendC::WelfordUpdateParam &para, Where where) {
  static_assert(kOneOf<T, half, float>, "WelfordUpdate: for half and float on Atlas A2");
  constexpr bool kNarrow = std::is_same_v<T, half>;
  const auto check = [&](const char *what, uint32_t value, int64_t least, int64_t most) {
    CheckRange(Core::Current(), FaultKind::kCount_, "WelfordUpdate", where, what, value, least, most);
  };
  check("para.rnLength", para.rnLength, 1, 1);
  check("para.abComputeLength", para.abComputeLength, 1, para.abLength);
  for (const Floats &result : {mean_after, sum_after}) {
    CheckApart(result, mean, para.abComputeLength, where);
    CheckApart(result, sum, para.abComputeLength, where);
    CheckApart(result, x, para.abComputeLength, where);
  }
  const Bytes work = WorkOf(given, where);
  const uint32_t lanes = PieceLanes("WelfordUpdate", work, kNarrow ? 2 : 1, where);
  const Parts parts(work, uint64_t{lanes} * sizeof(float));
  for (uint32_t done = 0; done < para.abComputeLength; done += lanes) {
    const Stage v(std::min(lanes, para.abComputeLength - done), where);
    const Floats step = parts[0];
    Floats wide;
    if constexpr (kNarrow) {
      wide = parts[1];
      v.Convert(wide, x[done], RoundMode::CAST_NONE);
    } else {
      wide = x[done];
    }
    v.Sub(step, wide, mean[done]);
    v.Muls(mean_after[done], step, para.nRec);
    v.Add(mean_after[done], mean_after[done], mean[done]);
    v.Sub(sum_after[done], wide, mean_after[done]);
    v.Mul(sum_after[done], sum_after[done], step);
    v.Add(sum_after[done], sum_after[done], sum[done]);
  }
}

// The lanes from `first` on, which may begin within a data block. It comes before the other lanes are
// computed.
inline void CopyLanesFrom(const Floats &to, const Floats &from, uint32_t first, uint32_t count, Where where) {
  const uint32_t begin = first / kFloatLanes * kFloatLanes;
  if (begin < count) Stage(count - begin, where).Muls(to[begin], from[begin], 1);
}

}  // namespace sim

namespace AscendC {

#define SIM_WELFORD_UPDATE(memory, ...)                                                                    \
  template <typename T, typename U, bool isReuseSource = false,                                            \
            const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>                                      \
  __aicore__ inline void WelfordUpdate(                                                                    \
      const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,                              \
      const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,                                \
      const LocalTensor<T> &inputX __VA_ARGS__, const WelfordUpdateParam &para,                            \
      sim::Where where = sim::Where::Here()) {                                                             \
    static_assert(std::is_same_v<U, float>, "WelfordUpdate: means and variances are float");               \
    if (config.isInplace) {                                                                                \
      sim::CopyLanesFrom(outputMean, inputMean, para.abComputeLength, para.abLength, where);               \
      sim::CopyLanesFrom(outputVariance, inputVariance, para.abComputeLength, para.abLength, where);       \
    }                                                                                                      \
    sim::WelfordUpdate<config>(outputMean, outputVariance, inputMean, inputVariance, inputX, memory, para, \
                               where);                                                                     \
  }
SIM_WELFORD_UPDATE(nullptr)
SIM_WELFORD_UPDATE(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_WELFORD_UPDATE

}  // namespace AscendC
