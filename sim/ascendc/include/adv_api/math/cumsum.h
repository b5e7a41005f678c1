// SPDX-License-Identifier: Apache-2.0
// Running sums over the rows of a matrix or along each row, one element after the other. half is added up in
// float, and each result is rounded once. Along rows the scalar unit adds.
#pragma once

#include "../activation/sim_row_work.h"

namespace AscendC {

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

struct CumSumInfo {
  uint32_t outter{0};  // rows
  uint32_t inner{0};   // elements of a row, of which the bytes are a multiple of 32
};

}  // namespace AscendC

namespace sim {

template <typename T>
void SumsAlongRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                   const AscendC::CumSumInfo &info, Where where) {
  Order(Pipe::V, Pipe::S, where);
  for (uint32_t row = 0; row < info.outter; ++row) {
    float sum = 0;
    for (uint32_t i = row * info.inner; i < (row + 1) * info.inner; ++i) {
      sum += ReadValue(src, i, where);
      dst.SetValue(i, static_cast<T>(sum), where);
    }
  }
  Order(Pipe::S, Pipe::V, where);
}

// Work memory: a piece of the sum, and of a row as floats.
template <typename T>
void SumsOverRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, const Bytes *given,
                  const AscendC::CumSumInfo &info, Where where) {
  const Bytes work = WorkOf(given, where);
  const uint32_t lanes = PieceLanes("CumSum", work, 2, where);
  const Parts parts(work, uint64_t{lanes} * sizeof(float));
  for (uint32_t done = 0; done < info.inner; done += lanes) {
    const Stage v(std::min(lanes, info.inner - done), where);
    v.Fill(parts[0], 0);
    for (uint32_t row = 0; row < info.outter; ++row) {
      const uint32_t at = row * info.inner + done;
      LoadLanes(v, parts[1], src[at]);
      v.Add(parts[0], parts[0], parts[1]);
      StoreLanes(v, dst[at], parts[0]);
    }
  }
}

template <const AscendC::CumSumConfig &config, typename T>
void CumSumRows(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &last,
                const AscendC::LocalTensor<T> &src, const Bytes *given, const AscendC::CumSumInfo &info,
                Where where) {
  static_assert(kOneOf<T, half, float>, "CumSum: for half and float on Atlas A2");
  static_assert(config.algorithm == AscendC::CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                "CumSum: Atlas A2 adds line by line");
  const auto check = [&](const char *what, uint32_t value, int64_t most) {
    CheckRange(Core::Current(), FaultKind::kCount_, "CumSum", where, what, value, 1, most);
  };
  const uint32_t room = std::min(dst.GetSize(), src.GetSize());
  check("cumSumInfo.inner", info.inner, room);
  check("cumSumInfo.outter", info.outter, room / std::max(info.inner, 1U));
  if (info.inner % kBlockLanes<T> != 0) {
    FailRange(Core::Current(), FaultKind::kCount_, "CumSum", where, "cumSumInfo.inner",
              "a multiple of " + std::to_string(kBlockLanes<T>) + ", the elements of 32 bytes", info.inner);
  }
  if constexpr (config.isLastAxis) {
    SumsAlongRows(dst, src, info, where);
  } else {
    SumsOverRows(dst, src, given, info, where);
  }
  if constexpr (config.outputLastRow) {
    AscendC::Muls(last, dst[(info.outter - 1) * info.inner], static_cast<T>(1.0F),
                  static_cast<int32_t>(info.inner), where);
    AscendC::PipeBarrier<PIPE_V>(where);
  }
}

}  // namespace sim

namespace AscendC {

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor,
                              const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                              const CumSumInfo &cumSumInfo, sim::Where where = sim::Where::Here()) {
  sim::CumSumRows<config>(dstTensor, lastRowTensor, srcTensor, &sharedTmpBuffer, cumSumInfo, where);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor,
                              const LocalTensor<T> &srcTensor, const CumSumInfo &cumSumInfo,
                              sim::Where where = sim::Where::Here()) {
  sim::CumSumRows<config>(dstTensor, lastRowTensor, srcTensor, nullptr, cumSumInfo, where);
}

}  // namespace AscendC
