// SPDX-License-Identifier: Apache-2.0
// The mean and the variance of all elements, of the means and the sums of squares that WelfordUpdate has
// found for each lane. A lane stands for `counts` elements: as many as there were calls, or, where the last
// call had fewer lanes, one more for the first lanes, or what a tensor says.
//
//   mean = sum(counts m) / n        variance = sum(M + counts (m - mean)^2) / n
#pragma once

#include "../reduce/sim_rows.h"

namespace AscendC {

struct WelfordFinalizeConfig {
  constexpr WelfordFinalizeConfig(const bool isCorrectionIn) : isCorrection(isCorrectionIn) {}

  bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
  uint32_t rnLength;         // calls of WelfordUpdate
  uint32_t abLength;         // lanes
  uint32_t headCount;        // elements of each of the first lanes
  uint32_t headCountLength;  // the number of the first lanes
  uint32_t tailCount;        // elements of each of the other lanes
  uint32_t tailCountLength;  // their number
  float abRec;               // 1 / lanes
  float rRec;                // 1 / all elements
};

}  // namespace AscendC

namespace sim {

// Sums of what is computed of each lane. The work memory holds the sum, and two pieces; the sums of the
// pieces are added one after the other.
class WelfordSums {
 public:
  WelfordSums(const Bytes &work, uint32_t count, Where where) : work_(work), count_(count), where_(where) {
    CheckWork("WelfordFinalize", work, 3 * kRepeatBytes, where);
  }

  // Calls step(stage, y, first lane) for each piece, and puts the sum of all y at `to`.
  template <typename Step>
  void Sum(const Floats &to, const Step &step) const {
    const Stage one(1, where_);
    one.Fill(to, 0);
    for (uint32_t done = 0; done < count_; done += kFloatLanes) {
      const uint32_t lanes = std::min(kFloatLanes, count_ - done);
      const Floats y = Part(1);
      step(Stage(lanes, where_), y, done);
      SumOfRow(y, y, lanes, y, where_);
      one.Add(to, to, y);
    }
  }
  Floats Part(uint32_t i) const { return As<float>(work_[static_cast<uint32_t>(i * kRepeatBytes)]); }

 private:
  Bytes work_;
  uint32_t count_;
  Where where_;
};

// weigh(stage, y, first lane, of the mean) multiplies y by the number of elements of each lane, and for the
// mean by 1 / all elements.
template <typename Weigh>
void WelfordFinalize(const Floats &mean, const Floats &variance, const Floats &means, const Floats &sums,
                     const Bytes *given, const AscendC::WelfordFinalizePara &para, const Weigh &weigh,
                     Where where) {
  const WelfordSums work(WorkOf(given, where), para.abLength, where);
  const Stage block(kBlockBytes / sizeof(float), where);
  const Floats mean_of_all = work.Part(0);
  work.Sum(mean_of_all, [&](const Stage &v, const Floats &y, uint32_t lane) {
    v.Muls(y, means[lane], 1);
    weigh(v, y, lane, true);
  });
  Order(Pipe::V, Pipe::S, where);
  const float value = mean_of_all.GetValue(0, where);
  Order(Pipe::S, Pipe::V, where);
  // The results are one element each; the rest of their data blocks becomes 0.
  block.Fill(mean, 0);
  Stage(1, where).Fill(mean, value);
  block.Fill(variance, 0);
  work.Sum(variance, [&](const Stage &v, const Floats &y, uint32_t lane) {
    v.Adds(y, means[lane], -value);
    v.Mul(y, y, y);
    weigh(v, y, lane, false);
    v.Add(y, y, sums[lane]);
    v.Muls(y, y, para.rRec);
  });
}

// The number of elements of a lane, of the parameters alone.
inline void WelfordFinalizeByPara(const Floats &mean, const Floats &variance, const Floats &means,
                                  const Floats &sums, const Bytes *given,
                                  const AscendC::WelfordFinalizePara &para, Where where) {
  if (para.headCountLength + para.tailCountLength != para.abLength) {
    FailRange(Core::Current(), FaultKind::kCount_, "WelfordFinalize", where,
              "para.headCountLength + para.tailCountLength", std::to_string(para.abLength),
              para.headCountLength + para.tailCountLength);
  }
  const bool equal = para.tailCountLength == 0;
  CheckRange(Core::Current(), FaultKind::kCount_, "WelfordFinalize", where, "para.tailCount", para.tailCount,
             equal ? 0 : 1, UINT32_MAX);
  const auto weigh = [&](const Stage &v, const Floats &y, uint32_t lane, bool of_mean) {
    if (equal) {
      v.Muls(y, y, of_mean ? para.abRec : static_cast<float>(para.rnLength));
      return;
    }
    const float rest = of_mean ? para.rRec : 1;
    const uint32_t lanes = std::min(kFloatLanes, para.abLength - lane);
    const uint32_t head = std::min(para.headCountLength - std::min(para.headCountLength, lane), lanes);
    v.Muls(y, y, static_cast<float>(para.tailCount) * rest);
    if (head > 0) {
      Stage(head, where).Muls(y, y, static_cast<float>(para.headCount) / static_cast<float>(para.tailCount));
    }
  };
  WelfordFinalize(mean, variance, means, sums, given, para, weigh, where);
}

inline void WelfordFinalizeByCounts(const Floats &mean, const Floats &variance, const Floats &means,
                                    const Floats &sums, const AscendC::LocalTensor<int32_t> &counts,
                                    const Bytes *given, const AscendC::WelfordFinalizePara &para,
                                    Where where) {
  const Bytes work = WorkOf(given, where);
  CheckWork("WelfordFinalize", work, 3 * kRepeatBytes, where);
  const Floats factors = As<float>(work[static_cast<uint32_t>(2 * kRepeatBytes)]);
  const auto weigh = [&](const Stage &v, const Floats &y, uint32_t lane, bool of_mean) {
    v.Convert(factors, counts[lane], RoundMode::CAST_RINT);
    v.Mul(y, y, factors);
    if (of_mean) v.Muls(y, y, para.rRec);
  };
  WelfordFinalize(mean, variance, means, sums, &work, para, weigh, where);
}

}  // namespace sim

namespace AscendC {

#define SIM_WELFORD_FINALIZE(memory, ...)                                                                    \
  template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>        \
  __aicore__ inline void WelfordFinalize(                                                                    \
      const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,                        \
      const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance __VA_ARGS__,              \
      WelfordFinalizePara &para, sim::Where where = sim::Where::Here()) {                                    \
    static_assert(!config.isCorrection, "WelfordFinalize: Atlas A2 has no isCorrection");                    \
    sim::WelfordFinalizeByPara(outputMean, outputVariance, inputMean, inputVariance, memory, para, where);   \
  }                                                                                                          \
  template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>        \
  __aicore__ inline void WelfordFinalize(                                                                    \
      const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,                        \
      const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,                          \
      const LocalTensor<int32_t> &counts __VA_ARGS__, WelfordFinalizePara &para,                             \
      sim::Where where = sim::Where::Here()) {                                                               \
    static_assert(!config.isCorrection, "WelfordFinalize: Atlas A2 has no isCorrection");                    \
    sim::WelfordFinalizeByCounts(outputMean, outputVariance, inputMean, inputVariance, counts, memory, para, \
                                 where);                                                                     \
  }
SIM_WELFORD_FINALIZE(nullptr)
SIM_WELFORD_FINALIZE(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_WELFORD_FINALIZE

}  // namespace AscendC
