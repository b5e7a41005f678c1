// SPDX-License-Identifier: Apache-2.0
// The results of NmsPadded in GM: indices of the kept boxes, then -1, and how many boxes are kept.
//
//   indices   7 2 9 4 | -1 -1 -1 -1 …     outputs elements of type I
//   count     4                           one element of type N
//
// Vector instructions do not store int64. Copies therefore count in halves of 32 bits, the low half first:
// int32 has one half, int64 has two.
#pragma once

#include "../common/copies/row_copy.h"

namespace avo {

template <typename I, typename N>
class NmsResults {
  static constexpr uint32_t kIndexHalves = sizeof(I) / sizeof(int32_t);
  static constexpr uint32_t kCountHalves = sizeof(N) / sizeof(int32_t);
  static constexpr uint32_t kBlockHalves = 8;  // of a data block

 public:
  using Index = I;
  using Halves = AscendC::LocalTensor<int32_t>;

  // outputs: length of `indices`.
  __aicore__ inline void Init(GM_ADDR indices, GM_ADDR count, int64_t outputs, AscendC::TPipe *pipe) {
    outputs_ = outputs;
    pipe_ = pipe;
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(indices), outputs * kIndexHalves);
    count_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(count), kCountHalves);
  }

  // Returns the halves of `count` indices. Those of int64 are written to `work`.
  __aicore__ inline Halves HalvesOf(const Halves &indices, const AscendC::LocalTensor<I> &work,
                                    uint32_t count) {
    if constexpr (kIndexHalves > 1) {
      AscendC::Cast(work, indices, AscendC::RoundMode::CAST_NONE, count);
      return work.template ReinterpretCast<int32_t>();
    } else {
      return indices;
    }
  }

  // Stores the halves of `count` indices from index `first` on.
  __aicore__ inline void StoreIndices(const Halves &halves, int64_t first, uint32_t count) {
    const uint32_t stored = count * kIndexHalves;
    CopyRowsOut(indices_gm_, first * kIndexHalves, 0, halves, RoundUp(stored, kBlockHalves), 1, stored);
  }

  // Stores how many boxes are kept, by core 0. work: a data block.
  __aicore__ inline void StoreCount(int64_t kept, const Halves &work) {
    if (AscendC::GetBlockIdx() != 0) return;
    for (uint32_t i = 0; i < kCountHalves; ++i) work.SetValue(i, i == 0 ? static_cast<int32_t>(kept) : 0);
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyRowsOut(count_gm_, 0, 0, work, kBlockHalves, 1, kCountHalves);
  }

  // Fills the indices behind the first `kept` with -1, by all cores. work: `most` elements.
  __aicore__ inline void FillBehind(int64_t kept, const Halves &work, uint32_t most) {
    const int64_t begin = kept * kIndexHalves, halves = outputs_ * kIndexHalves - begin;
    AscendC::Duplicate(work, -1, most);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    const Share share = CoreShare((halves + most - 1) / most);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const uint32_t count = MinRemaining(halves - i * most, most);
      CopyRowsOut(indices_gm_, begin + i * most, 0, work, most, 1, count);
    }
  }

 private:
  AscendC::GlobalTensor<int32_t> indices_gm_, count_gm_;
  AscendC::TPipe *pipe_;
  int64_t outputs_;
};

}  // namespace avo
