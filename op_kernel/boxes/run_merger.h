// SPDX-License-Identifier: Apache-2.0
// Merges sorted runs of (score, index) pairs, four at a time: from GM to GM on all cores, or the last ones in
// UB on each core. score_sort.h says which runs there are.
#pragma once

#include "list_merges.h"

namespace avo {

class RunMerger {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, const ScoreSortBuffers &buffers,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    boxes_ = tiling.boxes;
    chunk_ = tiling.chunk;
    chunks_ = tiling.chunks;
    window_ = tiling.window;
    pairs_gm_[0].SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.runs));
    pairs_gm_[1].SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.merged));
    pairs_gm_[2] = pairs_gm_[1][boxes_ * kPairFloats];
    lengths_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace + tiling.lengths));
    pipe->InitBuffer(pairs_, buffers.pairs.bytes);
    pipe->InitBuffer(merged_, buffers.merged.bytes);
    pipe->InitBuffer(length_, buffers.length.bytes);
    pipe->InitBuffer(lengths_, buffers.lengths.bytes);
    pipe->InitBuffer(runs_, buffers.runs.bytes);
  }

  // Stores `count` sorted pairs as run `run`.
  __aicore__ inline void StoreRun(uint32_t run, const AscendC::LocalTensor<float> &pairs, uint32_t count) {
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    CopyPairsOut(pairs_gm_[0], static_cast<int64_t>(run) * chunk_, pairs, count);
  }
  // Stores how many pairs a run has.
  __aicore__ inline void StoreLength(uint32_t run, uint32_t count) {
    WaitFor<AscendC::HardEvent::MTE3_S>(pipe_);
    length_.Get<int32_t>().SetValue(0, static_cast<int32_t>(count));
    WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    CopyRowsOut(lengths_gm_, run, 1, length_.Get<int32_t>(), kBlockBytes / sizeof(int32_t), 1, 1);
  }
  // Memory for the pairs of a chunk, and as much again. Both are free before chunks are sorted, and after the
  // last merge when its result is not needed any more.
  __aicore__ inline AscendC::LocalTensor<float> PairsMemory() { return pairs_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> SpareMemory() { return merged_.Get<float>(); }

  // Merges sorted chunks on all cores. Afterwards Pairs() has the first `limit` pairs in order, or all; there
  // are Count() of them, since scores that the filter leaves out have none.
  __aicore__ inline void MergeChunks(int64_t limit) { MergeUpTo(limit, 1); }

  // Merges sorted chunks on all cores until two merges are left, or one where that is faster, and begins to
  // load their lists, into windows that hold all pairs.
  __aicore__ inline void LoadLastLists() {
    constexpr uint32_t kFewPairs = 3072;  // it takes less time to merge four lists than to meet
    loads_ahead_ = boxes_ <= kFewPairs;
    MergeUpTo(boxes_, loads_ahead_ ? kLists * kLists : kLists);
    if (!loads_ahead_ || !AreWhole()) {
      AscendC::PipeBarrier<PIPE_MTE2>();
      LoadLists(0, run_count_);
    }
    lists_loaded_ = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_V));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(lists_loaded_);
  }

  // Merges these lists on each core. Returns all pairs in order, and their number in `count`.
  __aicore__ inline AscendC::LocalTensor<float> MergeLastLists(uint32_t &count) {
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(lists_loaded_);
    uint32_t lengths[kLists * kLists] = {0};
    for (uint32_t i = 0; i < run_count_; ++i) lengths[i] = Run(i, kLength);
    const auto merged = MergeAllInUb(pairs_.Get<float>(), merged_.Get<float>(), lengths, run_count_);
    count = lengths[0];
    return merged;
  }

  __aicore__ inline AscendC::GlobalTensor<float> Pairs() {
    const uint32_t first = run_count_ > 0 ? Run(0, kStart) : 0;
    return pairs_gm_[from_][first * kPairFloats];
  }
  __aicore__ inline int64_t Count() { return run_count_ > 0 ? Run(0, kLength) : 0; }

 private:
  enum RunField : uint32_t { kStart, kLength, kRunFields };
  static constexpr uint32_t kLists = kMergeLists;
  static constexpr uint32_t kBlockPairs = kBlockBytes / kPairBytes;

  // Merges sorted chunks until at most `most` runs are left.
  __aicore__ inline void MergeUpTo(int64_t limit, uint32_t most) {
    limit_ = static_cast<uint32_t>(limit);
    ReadRuns();
    while (run_count_ > most) {
      MergeRuns();
      WaitForCores();
    }
  }

  __aicore__ inline void CopyPairsOut(const AscendC::GlobalTensor<float> &gm, int64_t first,
                                      const AscendC::LocalTensor<float> &pairs, uint32_t count) {
    const uint32_t floats = count * kPairFloats;
    CopyRowsOut(gm, first * kPairFloats, floats, pairs, RoundUp(floats, 8), 1, floats);
  }

  // Reads the lengths of all runs; every core then has the same list of runs that are not empty.
  __aicore__ inline void ReadRuns() {
    auto lengths = lengths_.Get<int32_t>();
    CopyRowsIn(lengths, RoundUp(2 * chunks_, 8), lengths_gm_, 0, 2 * chunks_, 1, 2 * chunks_);
    const auto loaded = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_S));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(loaded);
    if (loads_ahead_) {
      const auto floats = static_cast<uint32_t>(boxes_) * kPairFloats;
      CopyRowsIn(pairs_.Get<float>(), RoundUp(floats, kBlockFloats), pairs_gm_[0],
                 static_cast<int64_t>(chunks_) * chunk_ * kPairFloats, 0, 1, floats);
    }
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(loaded);
    // The scalar unit waits once for some reads that follow each other.
    constexpr uint32_t kReads = 8;
    for (uint32_t first = 0; first < 2 * chunks_; first += kReads) {
      const uint32_t count = MinRemaining(2 * chunks_ - first, kReads);
      int32_t length[kReads];
      for (uint32_t i = 0; i < count; ++i) length[i] = lengths.GetValue(first + i);
      for (uint32_t i = 0; i < count; ++i) {
        if (length[i] > 0) SetRun(run_count_++, (first + i) * chunk_, MinRemaining(length[i], limit_));
      }
    }
  }

  // Returns whether the runs are all chunks of numbers, and whole, as ReadRuns() loads them ahead.
  __aicore__ inline bool AreWhole() {
    uint32_t count = 0;
    for (uint32_t i = 0; i < run_count_; ++i) count += Run(i, kLength);
    return count == boxes_ && run_count_ == chunks_ && Run(0, kStart) == chunks_ * chunk_;
  }

  // Begins to load whole runs [first, first + count), one behind the other, each from a data block on. Runs
  // that lie in GM as they shall lie in UB are loaded at once.
  __aicore__ inline void LoadLists(uint32_t first, uint32_t count) {
    uint32_t place = 0;
    for (uint32_t i = first; i < first + count;) {
      const int64_t begin = static_cast<int64_t>(Run(i, kStart)) * kPairFloats;
      uint32_t floats = 0, filled = 0;
      do {
        floats = filled + Run(i, kLength) * kPairFloats;
        filled += Filled(Run(i, kLength));
        ++i;
      } while (i < first + count && static_cast<int64_t>(Run(i, kStart)) * kPairFloats == begin + filled);
      CopyRowsIn(pairs_.Get<float>()[place], filled, pairs_gm_[from_], begin, 0, 1, floats);
      place += filled;
    }
  }

  // Merges runs [first, first + count), which the windows hold whole, into `length` pairs that start at pair
  // `start` of the other side.
  __aicore__ inline void MergeWhole(uint32_t first, uint32_t count, uint32_t start, uint32_t length) {
    AscendC::PipeBarrier<PIPE_ALL>();
    LoadLists(first, count);
    uint32_t lengths[kLists], read = 0;
    for (uint32_t i = 0; i < count; ++i) lengths[i] = Run(first + i, kLength);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    MergeInUb(merged_.Get<float>(), pairs_.Get<float>(), read, lengths, count);
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    CopyPairsOut(pairs_gm_[OtherSide()], start, merged_.Get<float>(), length);
  }

  __aicore__ inline uint32_t Run(uint32_t run, RunField field) {
    return static_cast<uint32_t>(runs_.Get<int32_t>().GetValue(run * kRunFields + field));
  }
  __aicore__ inline void SetRun(uint32_t run, uint32_t start, uint32_t length) {
    runs_.Get<int32_t>().SetValue(run * kRunFields + kStart, start);
    runs_.Get<int32_t>().SetValue(run * kRunFields + kLength, length);
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
      const bool whole = length + kLists * kBlockPairs <= kLists * window_;
      length = MinRemaining(length, limit_);
      if (group % AscendC::GetBlockNum() == AscendC::GetBlockIdx()) {
        if (whole) {
          MergeWhole(first, lists, start, length);
        } else {
          MergeGroup(first, lists, start, length);
        }
      }
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
    auto merged = merged_.Get<float>();
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
    return pairs_.Get<float>()[list * window_ * kPairFloats];
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

  AscendC::TBuf<AscendC::TPosition::VECCALC> pairs_, merged_, length_, lengths_, runs_;
  AscendC::TPipe *pipe_;
  AscendC::GlobalTensor<float> pairs_gm_[3];  // sorted chunks, and the two sides that merges write in turn
  AscendC::GlobalTensor<int32_t> lengths_gm_;
  int64_t boxes_;
  uint32_t chunk_, chunks_, window_;
  uint32_t run_count_ = 0;  // runs that are not merged yet
  uint32_t from_ = 0;       // the side of pairs_gm_ that holds them
  uint32_t limit_;          // pairs of the longest run that is wanted
  event_t lists_loaded_;
  bool loads_ahead_ = false;  // whether ReadRuns() loads the runs of numbers, before it knows their lengths
};

}  // namespace avo
