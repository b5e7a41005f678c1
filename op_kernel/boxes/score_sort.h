// SPDX-License-Identifier: Apache-2.0
// Sorts scores of any number in global memory into (score, index) pairs: descending, NaN first, equal scores
// lowest index first. Cores sort chunks in UB and merge four runs at a time in global memory. Sort and
// MrgSort promise that equal scores keep their order, and nothing about NaN: NaN never reaches them but as
// the scores +inf of runs of their own, which come first.
#pragma once

#include <type_traits>

#include "../common/copies/row_copy.h"

namespace avo {

constexpr uint32_t kPairFloats = 2;  // a score and the bits of its index

template <typename T>
class ScoreSort {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR scores, GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    pipe_ = pipe;
    boxes_ = tiling.boxes;
    chunk_ = tiling.chunk;
    chunks_ = tiling.chunks;
    window_ = tiling.window;
    least_ = tiling.scoreThreshold;
    filter_ = tiling.filter != 0;
    scores_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(scores), boxes_);
    pairs_gm_[0].SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.runs));
    pairs_gm_[1].SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.merged));
    lengths_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace + tiling.lengths));

    const uint32_t pairs = (chunk_ > kLists * window_ ? chunk_ : kLists * window_) * kPairFloats;
    pipe->InitBuffer(keys_, chunk_ * sizeof(float));
    pipe->InitBuffer(places_, chunk_ * sizeof(int32_t));
    pipe->InitBuffer(passing_, chunk_ / 8);
    pipe->InitBuffer(chosen_keys_, chunk_ * sizeof(float));
    pipe->InitBuffer(chosen_, chunk_ * sizeof(int32_t));
    pipe->InitBuffer(pairs_, pairs * sizeof(float));
    pipe->InitBuffer(merged_, pairs * sizeof(float));
    pipe->InitBuffer(length_, kBlockBytes);
    pipe->InitBuffer(lengths_, RoundUp(2 * chunks_, kBlockBytes / sizeof(int32_t)) * sizeof(int32_t));
    pipe->InitBuffer(runs_, 2 * 2 * chunks_ * sizeof(int32_t));
    // Whole instructions read beyond what was loaded or chosen.
    AscendC::Duplicate(keys_.template Get<float>(), 0.0f, chunk_);
    AscendC::Duplicate(chosen_.template Get<int32_t>(), 0, chunk_);
    if constexpr (!std::is_same_v<T, float>) pipe->InitBuffer(raw_, chunk_ * sizeof(T));
  }

  // Sorts on all cores. Afterwards `Pairs` are in order, `Count` of them: scores that pass.
  __aicore__ inline void Process() {
    for (uint32_t i = AscendC::GetBlockIdx(); i < chunks_; i += AscendC::GetBlockNum()) SortChunk(i);
    WaitForCores();
    ReadRuns();
    while (run_count_ > 1) {
      MergeRuns();
      WaitForCores();
    }
  }

  __aicore__ inline AscendC::GlobalTensor<float> Pairs() {
    const uint32_t first = run_count_ > 0 ? Run(0, kStart) : 0;
    return pairs_gm_[from_][first * kPairFloats];
  }
  __aicore__ inline int64_t Count() { return run_count_ > 0 ? Run(0, kLength) : 0; }

 private:
  enum RunField : uint32_t { kStart, kLength, kRunFields };
  static constexpr uint32_t kLists = 4;       // that MrgSort takes
  static constexpr uint32_t kSortGroup = 32;  // scores that a repeat of Sort takes
  static constexpr float kInfinity = __builtin_inff();

  __aicore__ inline void SortChunk(uint32_t index) {
    const int64_t begin = static_cast<int64_t>(index) * chunk_;
    const uint32_t count = MinRemaining(boxes_ - begin, chunk_);
    const uint32_t whole = RoundUp(count, kRepeat);
    auto keys = keys_.template Get<float>();
    auto places = places_.template Get<int32_t>();
    auto passing = passing_.template Get<uint8_t>();
    Load(keys, begin, count);
    AscendC::CreateVecIndex(places, static_cast<int32_t>(begin), count);
    if (filter_) {
      AscendC::CompareScalar(passing, keys, least_, AscendC::CMPMODE::GT, whole);
    } else {
      AscendC::Compare(passing, keys, keys, AscendC::CMPMODE::EQ, whole);
    }
    auto chosen_keys = chosen_keys_.template Get<float>();
    AscendC::Duplicate(chosen_keys, -kInfinity, whole);
    Choose(chosen_keys, keys, passing, count);
    const uint32_t passed =
        Choose(chosen_.template Get<float>(), places.template ReinterpretCast<float>(), passing, count);
    StoreRun(chunks_ + index, passed);

    const uint32_t nans = filter_ ? 0 : count - passed;
    if (nans > 0) {
      auto bits = passing.template ReinterpretCast<uint16_t>();
      AscendC::Not(bits, bits, whole / 16);
      AscendC::Duplicate(chosen_keys, kInfinity, whole);
      Choose(chosen_.template Get<float>(), places.template ReinterpretCast<float>(), passing, count);
    }
    StoreRun(index, nans);
  }

  __aicore__ inline void Load(const AscendC::LocalTensor<float> &keys, int64_t begin, uint32_t count) {
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    if constexpr (std::is_same_v<T, float>) {
      CopyRowsIn(keys, chunk_, scores_gm_, begin, count, 1, count);
      WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    } else {
      auto raw = raw_.template Get<T>();
      CopyRowsIn(raw, chunk_, scores_gm_, begin, count, 1, count);
      WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
      AscendC::Cast(keys, raw, AscendC::RoundMode::CAST_NONE, count);
    }
  }

  // Packs the elements whose bit is set; returns how many.
  __aicore__ inline uint32_t Choose(const AscendC::LocalTensor<float> &to,
                                    const AscendC::LocalTensor<float> &from,
                                    const AscendC::LocalTensor<uint8_t> &bits, uint32_t count) {
    uint64_t chosen = 0;
    AscendC::GatherMask(to, from, bits.template ReinterpretCast<uint32_t>(), true, count, {1, 1, 8, 8},
                        chosen);
    return static_cast<uint32_t>(chosen);
  }

  // Sorts what was chosen and leaves it, with its length, as a run of the first level.
  __aicore__ inline void StoreRun(uint32_t run, uint32_t count) {
    if (count > 0) {
      auto pairs = pairs_.template Get<float>(), scratch = merged_.template Get<float>();
      WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
      AscendC::Sort<float, true>(pairs, chosen_keys_.template Get<float>(), chosen_.template Get<uint32_t>(),
                                 scratch, (count + kSortGroup - 1) / kSortGroup);
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      CopyPairsOut(pairs_gm_[0], static_cast<int64_t>(run) * chunk_, pairs, count);
    }
    WaitFor<AscendC::HardEvent::MTE3_S>(pipe_);
    length_.template Get<int32_t>().SetValue(0, static_cast<int32_t>(count));
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyRowsOut(lengths_gm_, run, 1, length_.template Get<int32_t>(), kBlockBytes / sizeof(int32_t), 1, 1);
  }

  __aicore__ inline void CopyPairsOut(const AscendC::GlobalTensor<float> &gm, int64_t first,
                                      const AscendC::LocalTensor<float> &pairs, uint32_t count) {
    const uint32_t floats = count * kPairFloats;
    CopyRowsOut(gm, first * kPairFloats, floats, pairs, RoundUp(floats, 8), 1, floats);
  }

  // Every core keeps the list of runs that hold something, in order.
  __aicore__ inline void ReadRuns() {
    auto lengths = lengths_.template Get<int32_t>();
    CopyRowsIn(lengths, RoundUp(2 * chunks_, 8), lengths_gm_, 0, 2 * chunks_, 1, 2 * chunks_);
    WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
    for (uint32_t i = 0; i < 2 * chunks_; ++i) {
      const uint32_t length = static_cast<uint32_t>(lengths.GetValue(i));
      if (length > 0) SetRun(run_count_++, i * chunk_, length);
    }
  }

  __aicore__ inline uint32_t Run(uint32_t run, RunField field) {
    return static_cast<uint32_t>(runs_.template Get<int32_t>().GetValue(run * kRunFields + field));
  }
  __aicore__ inline void SetRun(uint32_t run, uint32_t start, uint32_t length) {
    runs_.template Get<int32_t>().SetValue(run * kRunFields + kStart, start);
    runs_.template Get<int32_t>().SetValue(run * kRunFields + kLength, length);
  }

  // Four runs become one, the first four on the first core and so on.
  __aicore__ inline void MergeRuns() {
    const uint32_t groups = (run_count_ + kLists - 1) / kLists;
    uint32_t start = 0;
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t first = group * kLists;
      const uint32_t lists = MinRemaining(run_count_ - first, kLists);
      uint32_t length = 0;
      for (uint32_t i = 0; i < lists; ++i) length += Run(first + i, kLength);
      if (group % AscendC::GetBlockNum() == AscendC::GetBlockIdx()) MergeGroup(first, lists, start);
      SetRun(group, start, length);
      start += length;
    }
    run_count_ = groups;
    from_ = 1 - from_;
  }

  // A window of each list is in UB; a merge ends where one window is used up.
  __aicore__ inline void MergeGroup(uint32_t first, uint32_t lists, uint32_t start) {
    auto windows = pairs_.template Get<float>(), merged = merged_.template Get<float>();
    uint32_t next[kLists], left[kLists], used[kLists], held[kLists];
    for (uint32_t i = 0; i < lists; ++i) {
      next[i] = Run(first + i, kStart);
      left[i] = Run(first + i, kLength);
      used[i] = held[i] = 0;
    }
    for (uint32_t open = lists; open > 0;) {
      AscendC::PipeBarrier<PIPE_ALL>();
      AscendC::MrgSort4Info info;
      AscendC::LocalTensor<float> source[kLists];
      uint32_t list[kLists], active = 0;
      for (uint32_t i = 0; i < lists; ++i) {
        auto own = windows[i * window_ * kPairFloats];
        // The last list is copied, which MrgSort could start anywhere, from the start of its window.
        if (open == 1 && used[i] > 0) {
          next[i] -= held[i];
          left[i] += held[i];
          held[i] = 0;
        }
        if (held[i] == 0 && left[i] > 0) {
          held[i] = MinRemaining(left[i], window_);
          CopyRowsIn(own, window_ * kPairFloats, pairs_gm_[from_],
                     static_cast<int64_t>(next[i]) * kPairFloats, 0, 1, held[i] * kPairFloats);
          next[i] += held[i];
          left[i] -= held[i];
          used[i] = 0;
        }
        if (held[i] == 0) continue;
        list[active] = i;
        source[active] = own[used[i] * kPairFloats];
        info.elementLengths[active++] = static_cast<uint16_t>(held[i]);
      }
      AscendC::PipeBarrier<PIPE_ALL>();
      uint16_t taken[kLists] = {info.elementLengths[0], 0, 0, 0};
      auto result = merged;
      if (active == 1) {
        result = source[0];
      } else {
        for (uint32_t i = active; i < kLists; ++i) source[i] = source[0];
        info.ifExhaustedSuspension = true;
        info.validBit = static_cast<uint16_t>((1U << active) - 1);
        AscendC::MrgSort(merged, {source[0], source[1], source[2], source[3]}, info);
        WaitFor<AscendC::HardEvent::V_S>(pipe_);
        AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      }
      uint32_t written = 0;
      for (uint32_t i = 0; i < active; ++i) {
        written += taken[i];
        used[list[i]] += taken[i];
        held[list[i]] -= taken[i];
        if (held[list[i]] + left[list[i]] == 0) --open;
      }
      CopyPairsOut(pairs_gm_[1 - from_], start, result, written);
      start += written;
    }
  }

  static constexpr uint32_t kRepeat = 64;  // elements of float32

  AscendC::TBuf<AscendC::TPosition::VECCALC> raw_, keys_, places_, passing_, chosen_keys_, chosen_, pairs_,
      merged_, length_, lengths_, runs_;
  AscendC::TPipe *pipe_;
  AscendC::GlobalTensor<T> scores_gm_;
  AscendC::GlobalTensor<float> pairs_gm_[2];
  AscendC::GlobalTensor<int32_t> lengths_gm_;
  int64_t boxes_;
  uint32_t chunk_, chunks_, window_;
  uint32_t run_count_ = 0, from_ = 0;
  float least_;
  bool filter_;
};

}  // namespace avo
