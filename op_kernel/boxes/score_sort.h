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

#include "../common/vectors/bits.h"
#include "run_merger.h"

namespace avo {

template <typename T>
class ScoreSort {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR scores, GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    pipe_ = pipe;
    boxes_ = tiling.boxes;
    chunk_ = tiling.chunk;
    chunks_ = tiling.chunks;
    least_ = tiling.scoreThreshold;
    filter_ = tiling.filter != 0;
    scores_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(scores), boxes_);

    const ScoreSortBuffers buffers(chunk_, chunks_, tiling.window, sizeof(T));
    pipe->InitBuffer(keys_, buffers.keys.bytes);
    pipe->InitBuffer(places_, buffers.places.bytes);
    pipe->InitBuffer(passing_, buffers.passing.bytes);
    pipe->InitBuffer(chosen_keys_, buffers.chosen_keys.bytes);
    pipe->InitBuffer(chosen_, buffers.chosen.bytes);
    if (buffers.raw.count > 0) pipe->InitBuffer(raw_, buffers.raw.bytes);
    merger_.Init(workspace, tiling, buffers, pipe);
    // Instructions read whole repeats, also where fewer scores were loaded or chosen.
    AscendC::Duplicate(keys_.template Get<float>(), 0.0f, chunk_);
    AscendC::Duplicate(chosen_.template Get<int32_t>(), 0, chunk_);
  }

  // Sorts the chunks on all cores.
  __aicore__ inline void SortChunks() {
    for (uint32_t i = AscendC::GetBlockIdx(); i < chunks_; i += AscendC::GetBlockNum()) SortChunk(i);
    WaitForCores();
  }

  // Merges the runs of the chunks, when they are sorted.
  __aicore__ inline RunMerger &Merger() { return merger_; }

 private:
  static constexpr uint32_t kSortGroup = 32;  // scores that one repeat of Sort orders
  static constexpr uint32_t kRepeat = 64;     // float32 elements of one repeat
  static constexpr float kInfinity = __builtin_inff();

  // Sorts a chunk into two runs: `index` has its NaN scores, `chunks_ + index` the others.
  __aicore__ inline void SortChunk(uint32_t index) {
    const int64_t begin = static_cast<int64_t>(index) * chunk_;
    const uint32_t count = MinRemaining(boxes_ - begin, chunk_);
    const uint32_t whole = RoundUp(count, kRepeat);
    auto keys = keys_.template Get<float>();
    auto places = places_.template Get<int32_t>();
    auto passing = passing_.template Get<uint8_t>();
    Load(keys, places, begin, count);
    if (filter_) {
      AscendC::CompareScalar(passing, keys, least_, AscendC::CMPMODE::GT, whole);
    } else {
      AscendC::Compare(passing, keys, keys, AscendC::CMPMODE::EQ, whole);
    }
    auto chosen_keys = chosen_keys_.template Get<float>();
    AscendC::Duplicate(chosen_keys, -kInfinity, whole);
    PackMarked(chosen_keys, keys, passing, count);
    const uint32_t passed =
        PackMarked(chosen_.template Get<float>(), places.template ReinterpretCast<float>(), passing, count);
    const uint32_t nans = filter_ ? 0 : count - passed;
    SortPairs(passed);
    // The lengths leave while the pairs are sorted.
    merger_.StoreLength(chunks_ + index, passed);
    merger_.StoreLength(index, nans);
    StorePairs(chunks_ + index, passed);
    if (nans > 0) {
      auto bits = passing.template ReinterpretCast<uint16_t>();
      AscendC::Not(bits, bits, whole / 16);
      AscendC::Duplicate(chosen_keys, kInfinity, whole);
      PackMarked(chosen_.template Get<float>(), places.template ReinterpretCast<float>(), passing, count);
      SortPairs(nans);
      StorePairs(index, nans);
    }
  }

  // Loads `count` scores from `begin` on, as float32, and numbers them meanwhile.
  __aicore__ inline void Load(const AscendC::LocalTensor<float> &keys,
                              const AscendC::LocalTensor<int32_t> &places, int64_t begin, uint32_t count) {
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    if constexpr (std::is_same_v<T, float>) {
      CopyRowsIn(keys, chunk_, scores_gm_, begin, count, 1, count);
      AscendC::CreateVecIndex(places, static_cast<int32_t>(begin), count);
      WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    } else {
      auto raw = raw_.template Get<T>();
      CopyRowsIn(raw, chunk_, scores_gm_, begin, count, 1, count);
      AscendC::CreateVecIndex(places, static_cast<int32_t>(begin), count);
      WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
      AscendC::Cast(keys, raw, AscendC::RoundMode::CAST_NONE, count);
    }
  }

  // Sorts the `count` chosen scores.
  __aicore__ inline void SortPairs(uint32_t count) {
    if (count == 0) return;
    auto pairs = merger_.PairsMemory(), scratch = merger_.SpareMemory();
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
    AscendC::Sort<float, true>(pairs, chosen_keys_.template Get<float>(), chosen_.template Get<uint32_t>(),
                               scratch, (count + kSortGroup - 1) / kSortGroup);
  }

  // Stores the `count` sorted pairs as run `run` of GM.
  __aicore__ inline void StorePairs(uint32_t run, uint32_t count) {
    if (count > 0) merger_.StoreRun(run, merger_.PairsMemory(), count);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> raw_, keys_, places_, passing_, chosen_keys_, chosen_;
  AscendC::TPipe *pipe_;
  AscendC::GlobalTensor<T> scores_gm_;
  RunMerger merger_;
  int64_t boxes_;
  uint32_t chunk_, chunks_;
  float least_;  // with a filter, scores must be above this
  bool filter_;
};

}  // namespace avo
