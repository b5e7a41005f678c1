// SPDX-License-Identifier: Apache-2.0
// Decides which of some thousand boxes are kept, all at once and on all cores:
//   1. Cores sort chunks of the scores. Each core does the last merge itself, loads all boxes meanwhile, and
//      fetches those of its piece (strip_overlaps.h).
//   2. Each core compares the pairs of its piece.
//   3. Cores guess which boxes are kept. The first guess is all boxes. Step by step, the next guess is the
//      boxes that no better box of the guess suppresses, until it is the same again.
//
// The first guess is right for the best box. Each step makes it right for all boxes that are suppressed by
// boxes alone for which it was right before. So the last guess is what a walk from box to box keeps.
//
//   kept or not            1 0 1 1 0      box 1 overlaps box 0, box 2 box 1, and box 4 boxes 1 and 3
//   guess 0                1 1 1 1 1
//   guess 1                1 0 0 1 0      box 2 is wrong: its only better neighbour is box 1
//   guess 2                1 0 1 1 0
//   guess 3                1 0 1 1 0      the same: done
//
// A core knows its own piece. For each strip, GM has a row of bits, one for each box: whether no lane of
// the strip that is guessed suppresses the box. The next guess is what is set in all rows. Steps write two
// sides in turn, so that cores meet once for a step.
#pragma once

#include "nms_padded_tiling.h"
#include "nms_results.h"
#include "score_sort.h"
#include "strip_overlaps.h"

namespace avo {

template <typename T, bool CLASSES>
class StripSuppression {
  using Bits = AscendC::LocalTensor<uint16_t>;

 public:
  template <typename Results>
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR idxs, GM_ADDR workspace,
                              const NmsPaddedTiling &tiling, Results &results, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    sizes_ = StripSizesOf(tiling, sizeof(T), CLASSES);
    pitch_ = static_cast<uint32_t>(sizes_.GuessBytes() / sizeof(uint16_t));
    guesses_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(workspace + tiling.guesses));
    overlaps_.InitPlanes(sizes_, pipe);
    SortAndFetch(boxes, scores, idxs, workspace, results);
    ReleaseBuffers(pipe);
    overlaps_.InitWords(tiling.offset, tiling.iouThreshold);
  }

  // Stores the results. Returns false, and stores nothing, where kMostSteps are too few: where boxes form a
  // chain of which each overlaps the next one alone, a step decides but one of them.
  template <typename Results>
  __aicore__ inline bool Process(Results &results) {
    if (count_ > 0) {
      overlaps_.Compare();
      GuessAll();
      uint32_t steps = 0;
      while (Step(steps > 0)) {
        if (++steps < kMostSteps) continue;
        if (!IsSame()) return false;
        break;
      }
    }
    Store(results);
    return true;
  }

 private:
  static constexpr uint32_t kMostSteps = 16;
  static constexpr uint32_t kElementBits = 16;

  // Also fills what has no other values: indices that are not stored, and bits of rows that no core has.
  template <typename Results>
  __aicore__ inline void SortAndFetch(GM_ADDR boxes, GM_ADDR scores, GM_ADDR idxs, GM_ADDR workspace,
                                      Results &results) {
    constexpr uint32_t kFill = 256;
    ScoreSort<T> sort;
    LoadedBoxes<T, CLASSES> loaded;
    sort.Init(scores, workspace, tiling_, pipe_);
    RunMerger &merger = sort.Merger();
    loaded.Init(boxes, idxs, sizes_, tiling_.offset, pipe_);
    results.FillBehind(0, merger.PairsMemory().template ReinterpretCast<int32_t>(), kFill);
    StoreOnes(merger.PairsMemory().template ReinterpretCast<uint16_t>());
    sort.SortChunks();
    merger.LoadLastLists();
    loaded.Load();
    const auto pairs = merger.MergeLastLists(count_);
    overlaps_.ChoosePiece(count_);
    if (count_ == 0) return;
    constexpr uint8_t kOdd = 2;
    uint64_t gathered = 0;
    AscendC::GatherMask(overlaps_.template Indices<int32_t>(), pairs.template ReinterpretCast<int32_t>(),
                        kOdd, true, count_ * kPairFloats, {1, 1, 8, 0}, gathered);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    overlaps_.Fetch(loaded, merger.PairsMemory());
  }

  // Fills both sides of GM with `ones`, which is -1 everywhere. No core has a piece with the boxes that are
  // better than a strip. Cores share the strips.
  __aicore__ inline void StoreOnes(const Bits &ones) {
    for (int64_t strip = AscendC::GetBlockIdx(); strip < static_cast<int64_t>(sizes_.Strips());
         strip += AscendC::GetBlockNum()) {
      for (uint32_t side = 0; side < 2; ++side) {
        CopyRowsOut(guesses_gm_, GuessPlace(side, strip), 0, ones, pitch_, 1, pitch_);
      }
    }
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
  }

  __aicore__ inline int64_t GuessPlace(uint32_t side, int64_t strip) const {
    return (side * static_cast<int64_t>(sizes_.Strips()) + strip) * pitch_;
  }

  __aicore__ inline void GuessAll() {
    const auto whole = static_cast<int32_t>(StripBuffers::GuessPitch(sizes_) / sizeof(uint16_t));
    for (uint32_t which = 0; which < 2; ++which) {
      AscendC::Duplicate(overlaps_.Guess(which), static_cast<uint16_t>(0xffff), whole);
    }
  }

  // Answers the guess in hand and makes the next one. Returns false, and makes none, where the guess is
  // `checked` and the same as the one before. The first guess, which is all boxes, is not checked.
  __aicore__ inline bool Step(bool checked) {
    const auto guess = overlaps_.Guess(turn_), next = overlaps_.Guess(1 - turn_);
    if (overlaps_.RowCount() > 0) {
      const auto answer = overlaps_.Answer(guess, !checked);
      const uint32_t count = overlaps_.RowCount() / kElementBits;
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      CopyRowsOut(guesses_gm_, GuessPlace(turn_, overlaps_.Strip()) + overlaps_.Begin() / kElementBits, 0,
                  answer, RoundUp(count, kElementBits), 1, count);
    }
    // The vector unit compares while the answer is on its way.
    if (checked && IsSame()) return false;
    WaitForCores();
    auto rows = overlaps_.Guesses();
    const uint32_t strips = (count_ + tiling_.strip - 1) / tiling_.strip;
    CopyRowsIn(rows, strips * pitch_, guesses_gm_, GuessPlace(turn_, 0), 0, 1, strips * pitch_);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    uint32_t left = strips;
    while (left > 2) {
      const uint32_t half = left / 2;
      left -= half;
      AscendC::And(rows, rows, rows[left * pitch_], static_cast<int32_t>(half * pitch_));
    }
    AscendC::And(next, rows, rows[left > 1 ? pitch_ : 0], static_cast<int32_t>(pitch_));
    turn_ = 1 - turn_;
    return true;
  }

  // 32-bit elements that are compared, which have bits of all boxes.
  __aicore__ inline uint32_t Comparisons() const {
    return static_cast<uint32_t>(StripBuffers::GuessPitch(sizes_) / sizeof(int32_t));
  }

  // Returns whether the last two guesses are the same.
  __aicore__ inline bool IsSame() {
    AscendC::Compare(overlaps_.Equal().template ReinterpretCast<uint8_t>(),
                     overlaps_.Guess(0).template ReinterpretCast<int32_t>(),
                     overlaps_.Guess(1).template ReinterpretCast<int32_t>(), AscendC::CMPMODE::EQ,
                     Comparisons());
    WaitFor<AscendC::HardEvent::V_S>(pipe_);
    bool same = true;
    for (uint32_t i = 0; i < Comparisons() / kBoxLanes; ++i) {
      same = same && overlaps_.Equal().GetValue(i) == ~uint64_t{0};
    }
    return same;
  }

  // Stores the indices of the boxes that are kept, as far as they are wanted, and their number. Each
  // core packs all indices and stores its share.
  template <typename Results>
  __aicore__ inline void Store(Results &results) {
    constexpr uint32_t kUnit = 8;
    auto indices = overlaps_.template Indices<int32_t>(), packed = overlaps_.Packed();
    uint64_t kept = 0;
    if (count_ > 0) {
      AscendC::GatherMask(packed, indices, overlaps_.Guess(turn_).template ReinterpretCast<uint32_t>(), true,
                          count_, {1, 1, 8, 8}, kept);
    }
    const uint32_t stored = MinRemaining(tiling_.most, static_cast<uint32_t>(kept));
    const Share share = CoreShare((stored + kUnit - 1) / kUnit);
    if (share.begin < share.end) {
      const auto first = static_cast<uint32_t>(share.begin) * kUnit;
      const uint32_t count = MinRemaining(stored - first, static_cast<uint32_t>(share.end) * kUnit - first);
      const auto halves =
          results.HalvesOf(packed[first], overlaps_.template Wide<typename Results::Index>(), count);
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      results.StoreIndices(halves, first, count);
    }
    results.StoreCount(stored, overlaps_.Equal().template ReinterpretCast<int32_t>());
  }

  StripOverlaps<CLASSES> overlaps_;
  AscendC::GlobalTensor<uint16_t> guesses_gm_;
  AscendC::TPipe *pipe_;
  NmsPaddedTiling tiling_;
  StripSizes sizes_;
  uint32_t pitch_;      // 16-bit elements from the bits of one strip to those of the next
  uint32_t turn_ = 0;   // of the two guesses, and of the sides of GM
  uint32_t count_ = 0;  // boxes that are sorted
};

}  // namespace avo
