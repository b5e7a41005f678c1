// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression with results of a fixed shape. Up to some thousand boxes are decided at once
// (strip_suppression.h). More of them are decided in three phases, each of which has the whole UB for itself:
//   1. ScoreSort sorts (score, index) pairs
//   2. SortedBoxes fetches the boxes in that order and stores them as planes
//   3. BandSuppression decides which boxes are kept, a band of boxes at a time, and stores the results
//
// Where few of many boxes are wanted, the best boxes are nearly always enough. A first round then decides
// tiling.best boxes alone, for which merges and fetches end early; a second round decides all others where
// the first one has kept too few.
//
// Budget: 1700 lines of code, because it is two algorithms, one of two stages, of five kernels in all.
#pragma once

#include "band_suppression.h"
#include "nms_padded_tiling.h"
#include "nms_results.h"
#include "sorted_boxes.h"
#include "strip_suppression.h"

template <typename T, typename I, typename N, uint32_t KEY>
class NmsPadded {
 public:
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR idxs, GM_ADDR indices, GM_ADDR count,
                              GM_ADDR workspace, const NmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    boxes_ = boxes;
    scores_ = scores;
    idxs_ = idxs;
    workspace_ = workspace;
    results_.Init(indices, count, tiling.outputs, pipe);
  }

  __aicore__ inline void Process() {
    if (tiling_.strip > 0) {
      if (DecideAtOnce()) return;
      avo::ReleaseBuffers(pipe_);
    }
    if (Round(0, tiling_.best)) return;
    avo::ReleaseBuffers(pipe_);
    Round(tiling_.best, tiling_.boxes);
  }

 private:
  static constexpr bool kClasses = KEY == 1;

  // Decides all boxes at once and stores all results. Returns false where that takes too many steps.
  __aicore__ inline bool DecideAtOnce() {
    avo::StripSuppression<T, kClasses> strips;
    strips.Init(boxes_, scores_, idxs_, workspace_, tiling_, results_, pipe_);
    return strips.Process(results_);
  }

  // Decides boxes [begin, end) in the order of scores. Returns whether no other box has to be decided; then
  // it has stored all results.
  __aicore__ inline bool Round(int64_t begin, int64_t end) {
    const int64_t sorted = tiling_.most > 0 && tiling_.boxes > 0 ? SortBoxes(begin, end) : 0;
    avo::BandSuppression<kClasses> bands;
    bands.Init(workspace_, tiling_, pipe_);
    bands.Process(begin, sorted, results_);
    if (sorted == end && end < tiling_.boxes && !bands.IsFull()) return false;
    bands.StoreRest(results_);
    return true;
  }

  // Stores the planes of boxes [begin, end) by descending score, or of fewer where the filter leaves some
  // out. Returns the end of those it stored. Only the first round sorts the chunks.
  __aicore__ inline int64_t SortBoxes(int64_t begin, int64_t end) {
    avo::ScoreSort<T> sort;
    sort.Init(scores_, workspace_, tiling_, pipe_);
    if (begin == 0) sort.SortChunks();
    sort.Merger().MergeChunks(end);
    const auto pairs = sort.Merger().Pairs();
    const int64_t count = sort.Merger().Count();
    avo::ReleaseBuffers(pipe_);
    avo::SortedBoxes<T, kClasses> boxes;
    boxes.Init(boxes_, idxs_, workspace_ + tiling_.sorted, tiling_, pipe_);
    boxes.Process(pairs, begin, count);
    avo::WaitForCores();
    pipe_->Reset();
    return count;
  }

  avo::NmsResults<I, N> results_;
  AscendC::TPipe *pipe_;
  NmsPaddedTiling tiling_;
  GM_ADDR boxes_;
  GM_ADDR scores_;
  GM_ADDR idxs_;
  GM_ADDR workspace_;
};
