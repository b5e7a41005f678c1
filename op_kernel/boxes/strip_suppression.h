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
// Many boxes are decided in two stages, the better half first. A box of the worse half is compared with what
// is kept of the better half, and only those that are left are compared with each other. Where nothing is
// suppressed, these are as many pairs as at once. Where half of the boxes are, they are half as many:
//
//   ranks            0 …            half …
//   stage 1          compared       .                 kept: 0 2 5 …
//   rectangle        0 2 5 …   x    all rows          left: half + 1, half + 4, …
//   stage 2          .              the boxes left    kept: half + 4, …
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
    sorted_.Init(workspace + tiling.sorted, tiling.pitch);
    overlaps_.InitPlanes(sizes_, pipe);
    SortAndFetch(boxes, scores, idxs, workspace, results);
    ReleaseBuffers(pipe);
    overlaps_.InitWords(tiling);
  }

  // Stores the results. Returns false where kMostSteps are too few: where boxes form a chain of which each
  // overlaps the next one alone, a step decides but one of them. Then the results are not complete.
  template <typename Results>
  __aicore__ inline bool Process(Results &results) {
    const uint32_t first = First();
    uint32_t kept = 0, stored = 0;
    if (first > 0) {
      if (!Decide(0)) return false;
      kept = overlaps_.PackIndices(overlaps_.Guess(turn_), 0, first);
      stored = Store(results, 0, kept);
    }
    if (first < count_ && stored < tiling_.most) {
      const uint32_t left = DecideByBetter(kept);
      if (left > 0) {
        if (!Decide(kStageSides + 1)) return false;
        kept = overlaps_.PackIndices(overlaps_.Guess(turn_), first, left);
        stored += Store(results, stored, kept);
      }
    }
    results.StoreCount(stored, overlaps_.Equal().template ReinterpretCast<int32_t>());
    return true;
  }

 private:
  static constexpr uint32_t kMostSteps = 16;
  static constexpr uint32_t kElementBits = 16;
  static constexpr uint32_t kStageSides = 2;  // sides of GM that the steps of a stage write

  // Boxes that the first stage decides.
  __aicore__ inline uint32_t First() const { return MinRemaining(count_, tiling_.stage); }

  // Also fills what has no other values: indices that are not stored, and bits of rows that no core has.
  template <typename Results>
  __aicore__ inline void SortAndFetch(GM_ADDR boxes, GM_ADDR scores, GM_ADDR idxs, GM_ADDR workspace,
                                      Results &results) {
    constexpr uint32_t kFill = 256;
    ScoreSort<T> sort;
    LoadedBoxes<T, CLASSES> loaded;
    sort.Init(scores, workspace, tiling_, pipe_);
    RunMerger &merger = sort.Merger();
    loaded.Init(boxes, idxs, sizes_, tiling_, pipe_);
    results.FillBehind(0, merger.PairsMemory().template ReinterpretCast<int32_t>(), kFill);
    StoreOnes(merger.PairsMemory().template ReinterpretCast<uint16_t>());
    sort.SortChunks();
    merger.LoadLastLists();
    overlaps_.FillIndices(loaded.Load());
    const auto pairs = merger.MergeLastLists(count_);
    overlaps_.ChoosePiece(First(), tiling_.strip);
    if (count_ == 0) return;
    constexpr uint8_t kOdd = 2;
    uint64_t gathered = 0;
    AscendC::GatherMask(overlaps_.template Indices<int32_t>(), pairs.template ReinterpretCast<int32_t>(),
                        kOdd, true, count_ * kPairFloats, {1, 1, 8, 0}, gathered);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    overlaps_.Fetch(loaded, merger.PairsMemory());
    if (First() < count_) overlaps_.FetchShare(loaded, sorted_, count_, merger.PairsMemory());
  }

  // Fills all sides of GM with `ones`, which is -1 everywhere. No core has a piece with the boxes that are
  // better than a strip. Cores share the strips.
  __aicore__ inline void StoreOnes(const Bits &ones) {
    for (int64_t strip = AscendC::GetBlockIdx(); strip < static_cast<int64_t>(sizes_.Strips());
         strip += AscendC::GetBlockNum()) {
      for (uint32_t side = 0; side < static_cast<uint32_t>(sizes_.Sides()); ++side) {
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

  // Decides the boxes of a stage. side: the first of two sides of GM. Returns whether the steps were enough.
  __aicore__ inline bool Decide(uint32_t side) {
    turn_ = 0;
    overlaps_.Compare();
    GuessAll();
    uint32_t steps = 0;
    while (Step(side, steps > 0)) {
      if (++steps < kMostSteps) continue;
      return IsSame();
    }
    return true;
  }

  // Answers the guess in hand and makes the next one. Returns false, and makes none, where the guess is
  // `checked` and the same as the one before. The first guess, which is all boxes, is not checked.
  __aicore__ inline bool Step(uint32_t side, bool checked) {
    SendAnswer(side + turn_, !checked);
    // The vector unit compares while the answer is on its way.
    if (checked && IsSame()) return false;
    WaitForCores();
    Combine(side + turn_, overlaps_.Guess(1 - turn_));
    turn_ = 1 - turn_;
    return true;
  }

  // Answers the guess in hand, and stores the bits of the piece. all: the guess has all lanes.
  __aicore__ inline void SendAnswer(uint32_t side, bool all) {
    if (overlaps_.RowCount() == 0) return;
    const auto answer = overlaps_.Answer(overlaps_.Guess(turn_), all);
    const uint32_t count = overlaps_.RowCount() / kElementBits;
    WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    CopyRowsOut(guesses_gm_, GuessPlace(side, overlaps_.Strip()) + overlaps_.Begin() / kElementBits, 0,
                answer, RoundUp(count, kElementBits), 1, count);
  }

  // Sets the bits that are set in the answers of all strips.
  __aicore__ inline void Combine(uint32_t side, const Bits &bits) {
    auto rows = overlaps_.Guesses();
    const uint32_t strips = overlaps_.Strips();
    CopyRowsIn(rows, strips * pitch_, guesses_gm_, GuessPlace(side, 0), 0, 1, strips * pitch_);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    uint32_t left = strips;
    while (left > 2) {
      const uint32_t half = left / 2;
      left -= half;
      AscendC::And(rows, rows, rows[left * pitch_], static_cast<int32_t>(half * pitch_));
    }
    AscendC::And(bits, rows, rows[left > 1 ? pitch_ : 0], static_cast<int32_t>(pitch_));
  }

  // Compares the boxes of the worse half with the `kept` ones of the better half, and fetches the piece of
  // this core of those that are left. Returns their number.
  __aicore__ inline uint32_t DecideByBetter(uint32_t kept) {
    const uint32_t first = First(), count = count_ - first;
    overlaps_.LoadStage(sorted_, 0, first);
    overlaps_.ChooseRectangle(kept, count);
    overlaps_.LoadRows(sorted_, first, count_);
    overlaps_.Pack(overlaps_.Guess(turn_), first, false);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    overlaps_.Compare();
    SendAnswer(kStageSides, true);
    WaitForCores();
    const auto bits = overlaps_.Guess(turn_);
    Combine(kStageSides, bits);
    overlaps_.LoadStage(sorted_, first, count);
    const uint32_t left = overlaps_.PackIndices(bits, first, count);
    overlaps_.KeepPacked(first, left);
    overlaps_.ChoosePiece(left, static_cast<uint32_t>(LaterLanes(left)));
    overlaps_.Pack(bits, count, true);
    return left;
  }

  // 32-bit elements that are compared, which have bits of all boxes.
  __aicore__ inline uint32_t Comparisons() const {
    return static_cast<uint32_t>(StripBuffers::GuessPitch(sizes_) / sizeof(int32_t));
  }

  // Returns whether the last two guesses are the same.
  __aicore__ inline bool IsSame() {
    const auto equal = overlaps_.Equal().template ReinterpretCast<uint8_t>();
    AscendC::Compare(equal, overlaps_.Guess(0).template ReinterpretCast<int32_t>(),
                     overlaps_.Guess(1).template ReinterpretCast<int32_t>(), AscendC::CMPMODE::EQ,
                     Comparisons());
    return AllBitsSet(equal, Comparisons(), pipe_);
  }

  // Stores the indices of the `kept` boxes of a stage, which are packed, behind those of the stage before, as
  // far as they are wanted. Each core has packed all of them, and stores its share. Returns how many there
  // are.
  template <typename Results>
  __aicore__ inline uint32_t Store(Results &results, uint32_t before, uint32_t kept) {
    constexpr uint32_t kUnit = 8;
    const uint32_t stored = MinRemaining(tiling_.most - before, kept);
    const Share share = CoreShare((stored + kUnit - 1) / kUnit);
    if (share.begin < share.end) {
      const auto first = static_cast<uint32_t>(share.begin) * kUnit;
      const uint32_t count = MinRemaining(stored - first, static_cast<uint32_t>(share.end) * kUnit - first);
      const auto halves = results.HalvesOf(overlaps_.Packed()[first],
                                           overlaps_.template Wide<typename Results::Index>(), count);
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      results.StoreIndices(halves, before + first, count);
    }
    return stored;
  }

  StripOverlaps<CLASSES> overlaps_;
  SortedPlanes<CLASSES> sorted_;
  AscendC::GlobalTensor<uint16_t> guesses_gm_;
  AscendC::TPipe *pipe_;
  NmsPaddedTiling tiling_;
  StripSizes sizes_;
  uint32_t pitch_;      // 16-bit elements from the bits of one strip to those of the next
  uint32_t turn_ = 0;   // of the two guesses, and of the sides of GM
  uint32_t count_ = 0;  // boxes that are sorted
};

}  // namespace avo
