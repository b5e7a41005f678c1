// SPDX-License-Identifier: Apache-2.0
// SoftmaxFlashV3: as V2, but each part of a row first loses a share of its own mean, so that exp meets
// smaller numbers. s is alpha / (1 - alpha), and there are 8 parts.
//
//   row = row - s (mean of the row - mean of the part)         mean' = (mean of the row + mean (n - 1)) / n
//   now = s (mean of the row - mean')     before = s (mean - mean')
//   max' = max(max(row) + now, max + before)     e = exp(max - max' + before)
//   y = exp(row - max' + now)     sum' = e sum + sum(y)
//
// The mean of part i is, as in CANN, that of the elements [64 i, 64 i + 64) and, behind the first 512, of
// every 64 elements those of data block i.
#pragma once

#include "sim_softmax_flash.h"

namespace sim {

struct FlashV3Operands {
  const AscendC::LocalTensor<half> &dst;
  const Floats &mean;
  const Floats &sum;
  const Floats &max;
  const AscendC::LocalTensor<half> &src;
  const AscendC::LocalTensor<half> &factor;
  const Floats &old_mean;
  const Floats &old_sum;
  const Floats &old_max;
};

constexpr uint32_t kMeanParts = 8;

// Takes the means of the parts away, and returns the mean of the row. `scratch` is a row.
inline float ShiftParts(const Floats &row, uint32_t columns, float share, const Floats &scratch,
                        Where where) {
  AscendC::BlockReduceSum(scratch, row, kMeanParts, static_cast<int32_t>(kFloatLanes), 1, 1, 8, where);
  AscendC::PipeBarrier<PIPE_V>(where);
  const Stage repeat(kFloatLanes, where);
  for (uint32_t done = kMeanParts * kFloatLanes; done < columns; done += kFloatLanes) {
    repeat.Add(scratch, scratch, row[done]);
  }
  AscendC::BlockReduceSum(scratch, scratch, 1, static_cast<int32_t>(kFloatLanes), 1, 1, 8, where);
  Order(Pipe::V, Pipe::S, where);
  const uint32_t part = columns / kMeanParts;
  std::array<float, kMeanParts> means{};
  float mean = 0;
  for (uint32_t i = 0; i < kMeanParts; ++i) {
    means[i] = scratch.GetValue(i, where) / static_cast<float>(part);
    mean += means[i] / kMeanParts;
  }
  Order(Pipe::S, Pipe::V, where);
  for (uint32_t i = 0; i < kMeanParts; ++i) {
    Stage(part, where).Adds(row[i * part], row[i * part], -share * (mean - means[i]));
  }
  return mean;
}

// Work memory: the value of a row, the row as floats, and a scratch row.
template <bool update>
void FlashV3Rows(const FlashV3Operands &o, const Bytes *given, const AscendC::SoftMaxParams &params,
                 Where where) {
  const auto check = [&](const char *what, int64_t value, int64_t least, int64_t most) {
    CheckRange(Core::Current(), FaultKind::kCount_, "SoftmaxFlashV3", where, what, value, least, most);
  };
  check("params.splitMeanCnt", params.splitMeanCnt, kMeanParts, kMeanParts);
  check("params.loopCnt", params.loopCnt, 1, INT32_MAX);
  const uint32_t columns = params.oriSrcK == 0 ? params.srcK : params.oriSrcK;
  check("params.oriSrcK", columns, kMeanParts * kFloatLanes, params.srcK);
  const auto multiple = [&](const char *what, uint32_t value, uint32_t of) {
    if (value % of == 0) return;
    FailRange(Core::Current(), FaultKind::kCount_, "SoftmaxFlashV3", where, what,
              "a multiple of " + std::to_string(of), value);
  };
  multiple("params.srcM", params.srcM, 8);
  multiple("params.oriSrcK", columns, kFloatLanes);
  RowWork work("SoftmaxFlashV3", given, params.srcK, 2, where);
  const Floats x = work[0], scratch = work[1];
  RowValue &value = work.value();
  const float share = params.alpha / (1 - params.alpha), n = static_cast<float>(params.loopCnt);
  const Stage v(columns, where), block(kBlockLanes<float>, where);
  for (uint32_t row = 0; row < params.srcM; ++row) {
    const uint32_t at = row * kBlockLanes<float>;
    v.Convert(x, o.src[row * params.srcK], RoundMode::CAST_NONE);
    const float mean = ShiftParts(x, columns, share, scratch, where);
    value.Max(x, columns);
    float now = 0;
    if constexpr (update) {
      // Blocks of the old values, and of e in the scratch row.
      Order(Pipe::V, Pipe::S, where);
      const float old_mean = o.old_mean.GetValue(at, where);
      Order(Pipe::S, Pipe::V, where);
      const float new_mean = (mean + old_mean * (n - 1)) / n;
      now = share * (mean - new_mean);
      const float before = share * (old_mean - new_mean);
      block.Fill(o.mean[at], new_mean);
      block.Adds(scratch, o.old_max[at], before);
      value.Change([&](const Stage &one, const Floats &max) {
        one.Adds(max, max, now);
        one.Max(max, max, scratch);
      });
      block.Sub(scratch, scratch, value.block());
      block.Exp(scratch, scratch);
      // A data block of half has twice as many lanes.
      block.Muls(scratch[kBlockLanes<float>], scratch, 1);
      Stage(kBlockLanes<half>, where)
          .Convert(o.factor[row * kBlockLanes<half>], scratch, RoundMode::CAST_RINT);
      block.Mul(scratch, scratch, o.old_sum[at]);
    } else {
      block.Fill(o.mean[at], mean);
    }
    value.Store(o.max[at]);
    value.Change([&](const Stage &one, const Floats &max) { one.Adds(max, max, -now); });
    WithRowValue(kSubRow, x, x, value.block(), columns, where);
    v.Exp(x, x);
    v.Convert(o.dst[row * params.srcK], x, RoundMode::CAST_RINT);
    value.Sum(x, columns);
    if constexpr (update) {
      value.Change([&](const Stage &one, const Floats &sum) { one.Add(sum, sum, scratch); });
    }
    value.Store(o.sum[at]);
  }
}

}  // namespace sim

namespace AscendC {

#define SIM_SOFTMAX_FLASH_V3(memory, ...)                                                                    \
  template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,                       \
            bool isBasicBlock = false, bool isDataFormatNZ = false,                                          \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                               \
  __aicore__ inline void SoftmaxFlashV3(                                                                     \
      const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor, const LocalTensor<U> &expSumTensor, \
      const LocalTensor<U> &maxTensor, const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,  \
      const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor,                              \
      const LocalTensor<U> &inMaxTensor __VA_ARGS__, const SoftMaxTiling &, const SoftMaxParams &params,     \
      sim::Where where = sim::Where::Here()) {                                                               \
    static_assert(std::is_same_v<T, half> && std::is_same_v<U, float>,                                       \
                  "SoftmaxFlashV3: half with values of rows in float");                                      \
    sim::FlashV3Rows<isUpdate>({dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,     \
                                inMeanTensor, inExpSumTensor, inMaxTensor},                                  \
                               memory, params, where);                                                       \
  }
SIM_SOFTMAX_FLASH_V3(nullptr)
SIM_SOFTMAX_FLASH_V3(&sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#undef SIM_SOFTMAX_FLASH_V3

}  // namespace AscendC
