// SPDX-License-Identifier: Apache-2.0
// Sorts any number of scores in GM into (score, index) pairs: scores descend, NaN comes first, and of equal
// scores the lowest index comes first.
//
// Cores sort chunks in UB, each into two runs, and then merge four runs at a time from GM to GM:
//
//   scores         [  chunk 0  |  chunk 1  |  chunk 2  ]
//   sorted chunks  [ nan | nan | nan | numbers | numbers | numbers ]   runs 0, 1, …, 5
//   first merge    [ run 0: 0 + 1 + 2 + 3      | run 1: 4 + 5      ]
//   second merge   [ run 0: all pairs in order                     ]
//
// Where only the best pairs are wanted, each merge stops after so many of them. The sorted chunks stay in GM
// (side 0; merges write sides 1 and 2 in turn), so that they can be merged again, up to more pairs.
//
// Sort and MrgSort promise that equal scores keep their order; they promise nothing about NaN. So the NaN
// scores of a chunk go into a run of their own, with +inf for a score. All runs of NaN are before the runs of
// numbers, and therefore also before scores that are +inf themselves.
#pragma once

#include <type_traits>

#include "../common/copies/row_copy.h"
#include "score_sort_buffers.h"

namespace avo {

constexpr uint32_t kPairFloats = kPairBytes / sizeof(float);  // a score and the bits of its index

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
    pairs_gm_[2] = pairs_gm_[1][boxes_ * kPairFloats];
    lengths_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace + tiling.lengths));

    const ScoreSortBuffers buffers(chunk_, chunks_, window_, sizeof(T));
    pipe->InitBuffer(keys_, buffers.keys.bytes);
    pipe->InitBuffer(places_, buffers.places.bytes);
    pipe->InitBuffer(passing_, buffers.passing.bytes);
    pipe->InitBuffer(chosen_keys_, buffers.chosen_keys.bytes);
    pipe->InitBuffer(chosen_, buffers.chosen.bytes);
    pipe->InitBuffer(pairs_, buffers.pairs.bytes);
    pipe->InitBuffer(merged_, buffers.merged.bytes);
    pipe->InitBuffer(length_, buffers.length.bytes);
    pipe->InitBuffer(lengths_, buffers.lengths.bytes);
    pipe->InitBuffer(runs_, buffers.runs.bytes);
    if (buffers.raw.count > 0) pipe->InitBuffer(raw_, buffers.raw.bytes);
    // Instructions read whole repeats, also where fewer scores were loaded or chosen.
    AscendC::Duplicate(keys_.template Get<float>(), 0.0f, chunk_);
    AscendC::Duplicate(chosen_.template Get<int32_t>(), 0, chunk_);
  }

  // Sorts the chunks on all cores.
  __aicore__ inline void SortChunks() {
    for (uint32_t i = AscendC::GetBlockIdx(); i < chunks_; i += AscendC::GetBlockNum()) SortChunk(i);
    WaitForCores();
  }

  // Merges sorted chunks on all cores. Afterwards Pairs() has the first `limit` pairs in order, or all; there
  // are Count() of them, since scores that the filter leaves out have none.
  __aicore__ inline void MergeChunks(int64_t limit) {
    limit_ = static_cast<uint32_t>(limit);
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
  static constexpr uint32_t kLists = kMergeLists;
  static constexpr uint32_t kSortGroup = 32;  // scores that one repeat of Sort orders
  static constexpr float kInfinity = __builtin_inff();

  // Sorts a chunk into two runs: `index` has its NaN scores, `chunks_ + index` the others.
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

  // Loads `count` scores from `begin` on, as float32.
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

  // Packs the elements whose bit is set and returns their number.
  __aicore__ inline uint32_t Choose(const AscendC::LocalTensor<float> &to,
                                    const AscendC::LocalTensor<float> &from,
                                    const AscendC::LocalTensor<uint8_t> &bits, uint32_t count) {
    uint64_t chosen = 0;
    AscendC::GatherMask(to, from, bits.template ReinterpretCast<uint32_t>(), true, count, {1, 1, 8, 8},
                        chosen);
    return static_cast<uint32_t>(chosen);
  }

  // Sorts the `count` chosen scores and stores them as run `run` of GM, and their number beside it.
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

  // Reads the lengths of all runs; every core then has the same list of runs that are not empty.
  __aicore__ inline void ReadRuns() {
    auto lengths = lengths_.template Get<int32_t>();
    CopyRowsIn(lengths, RoundUp(2 * chunks_, 8), lengths_gm_, 0, 2 * chunks_, 1, 2 * chunks_);
    WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
    for (uint32_t i = 0; i < 2 * chunks_; ++i) {
      const uint32_t length = static_cast<uint32_t>(lengths.GetValue(i));
      if (length > 0) SetRun(run_count_++, i * chunk_, MinRemaining(length, limit_));
    }
  }

  __aicore__ inline uint32_t Run(uint32_t run, RunField field) {
    return static_cast<uint32_t>(runs_.template Get<int32_t>().GetValue(run * kRunFields + field));
  }
  __aicore__ inline void SetRun(uint32_t run, uint32_t start, uint32_t length) {
    runs_.template Get<int32_t>().SetValue(run * kRunFields + kStart, start);
    runs_.template Get<int32_t>().SetValue(run * kRunFields + kLength, length);
  }

  // Merges each four runs into one: core 0 the first four, core 1 the next four, and so on.
  __aicore__ inline void MergeRuns() {
    const uint32_t groups = (run_count_ + kLists - 1) / kLists;
    uint32_t start = 0;
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t first = group * kLists;
      const uint32_t lists = MinRemaining(run_count_ - first, kLists);
      uint32_t length = 0;
      for (uint32_t i = 0; i < lists; ++i) length += Run(first + i, kLength);
      length = MinRemaining(length, limit_);
      if (group % AscendC::GetBlockNum() == AscendC::GetBlockIdx()) MergeGroup(first, lists, start, length);
      SetRun(group, start, length);
      start += length;
    }
    run_count_ = groups;
    from_ = OtherSide();
  }

  // The side of pairs_gm_ that a merge writes.
  __aicore__ inline uint32_t OtherSide() const { return from_ == 1 ? 2 : 1; }

  // What a merge knows of its lists. Of each list one window is in UB:
  //
  //   list i in GM      [ loaded before | window | left[i] pairs, from next[i] on ]
  //   window i in UB    [ used[i] pairs, merged already | held[i] pairs ]
  struct Lists {
    uint32_t next[kLists], left[kLists], used[kLists], held[kLists];
  };

  // Merges runs [first, first + count) into `length` pairs that start at pair `start` of the other side.
  // MrgSort stops where one window is used up. That window is loaded anew, then the next MrgSort goes on.
  __aicore__ inline void MergeGroup(uint32_t first, uint32_t count, uint32_t start, uint32_t length) {
    auto merged = merged_.template Get<float>();
    Lists lists;
    for (uint32_t i = 0; i < count; ++i) {
      lists.next[i] = Run(first + i, kStart);
      lists.left[i] = Run(first + i, kLength);
      lists.used[i] = lists.held[i] = 0;
    }
    for (uint32_t open = count; open > 0 && length > 0;) {
      AscendC::PipeBarrier<PIPE_ALL>();
      AscendC::MrgSort4Info info;
      AscendC::LocalTensor<float> source[kLists];
      uint32_t list[kLists], active = 0;
      for (uint32_t i = 0; i < count; ++i) {
        LoadWindow(lists, i, open == 1);
        if (lists.held[i] == 0) continue;
        list[active] = i;
        source[active] = Window(i)[lists.used[i] * kPairFloats];
        info.elementLengths[active++] = static_cast<uint16_t>(lists.held[i]);
      }
      AscendC::PipeBarrier<PIPE_ALL>();
      uint16_t taken[kLists] = {info.elementLengths[0], 0, 0, 0};
      if (active > 1) Merge(merged, source, info, active, taken);
      uint32_t written = 0;
      for (uint32_t i = 0; i < active; ++i) {
        const uint32_t from = list[i];
        written += taken[i];
        lists.used[from] += taken[i];
        lists.held[from] -= taken[i];
        if (lists.held[from] + lists.left[from] == 0) --open;
      }
      written = MinRemaining(written, length);
      CopyPairsOut(pairs_gm_[OtherSide()], start, active > 1 ? merged : source[0], written);
      start += written;
      length -= written;
    }
  }

  __aicore__ inline AscendC::LocalTensor<float> Window(uint32_t list) {
    return pairs_.template Get<float>()[list * window_ * kPairFloats];
  }

  // Loads the next window of a list where all pairs of the one in UB are used. last: no other list is left.
  __aicore__ inline void LoadWindow(Lists &lists, uint32_t i, bool last) {
    // The last list is copied, not merged. A copy to GM has to start at a data block of UB, and a pair in the
    // middle of a window need not: the window is loaded again from its first unused pair on.
    if (last && lists.used[i] > 0) {
      lists.next[i] -= lists.held[i];
      lists.left[i] += lists.held[i];
      lists.held[i] = 0;
    }
    if (lists.held[i] > 0 || lists.left[i] == 0) return;
    lists.held[i] = MinRemaining(lists.left[i], window_);
    CopyRowsIn(Window(i), window_ * kPairFloats, pairs_gm_[from_],
               static_cast<int64_t>(lists.next[i]) * kPairFloats, 0, 1, lists.held[i] * kPairFloats);
    lists.next[i] += lists.held[i];
    lists.left[i] -= lists.held[i];
    lists.used[i] = 0;
  }

  // Merges the first `active` of four lists, and tells how many pairs it took of each.
  __aicore__ inline void Merge(const AscendC::LocalTensor<float> &merged,
                               AscendC::LocalTensor<float> (&source)[kLists], AscendC::MrgSort4Info &info,
                               uint32_t active, uint16_t (&taken)[kLists]) {
    for (uint32_t i = active; i < kLists; ++i) source[i] = source[0];
    info.ifExhaustedSuspension = true;
    info.validBit = static_cast<uint16_t>((1U << active) - 1);
    AscendC::MrgSort(merged, {source[0], source[1], source[2], source[3]}, info);
    WaitFor<AscendC::HardEvent::V_S>(pipe_);
    AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
  }

  static constexpr uint32_t kRepeat = 64;  // float32 elements of one repeat

  AscendC::TBuf<AscendC::TPosition::VECCALC> raw_, keys_, places_, passing_, chosen_keys_, chosen_, pairs_,
      merged_, length_, lengths_, runs_;
  AscendC::TPipe *pipe_;
  AscendC::GlobalTensor<T> scores_gm_;
  AscendC::GlobalTensor<float> pairs_gm_[3];  // sorted chunks, and the two sides that merges write in turn
  AscendC::GlobalTensor<int32_t> lengths_gm_;
  int64_t boxes_;
  uint32_t chunk_, chunks_, window_;
  uint32_t run_count_ = 0;  // runs that are not merged yet
  uint32_t from_ = 0;       // the side of pairs_gm_ that holds them
  uint32_t limit_;          // pairs of the longest run that is wanted
  float least_;             // with a filter, scores must be above this
  bool filter_;
};

}  // namespace avo
