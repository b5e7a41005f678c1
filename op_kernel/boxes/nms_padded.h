// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression with results of a fixed shape, in three phases. Each has the whole UB for itself:
//   1. ScoreSort sorts (score, index) pairs
//   2. SortedBoxes fetches the boxes in that order and stores them as planes
//   3. BandSuppression decides which boxes are kept, a band of boxes at a time, and stores the results
#pragma once

#include "band_suppression.h"
#include "nms_padded_tiling.h"
#include "nms_results.h"
#include "sorted_boxes.h"

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
    const int64_t sorted = tiling_.most > 0 && tiling_.boxes > 0 ? SortBoxes() : 0;
    avo::BandSuppression<kClasses> bands;
    bands.Init(workspace_, tiling_, pipe_);
    bands.Process(sorted, results_);
  }

 private:
  static constexpr bool kClasses = KEY == 1;

  // Stores the planes of boxes by descending score and returns their number.
  __aicore__ inline int64_t SortBoxes() {
    avo::ScoreSort<T> sort;
    sort.Init(scores_, workspace_, tiling_, pipe_);
    sort.Process();
    const auto pairs = sort.Pairs();
    const int64_t count = sort.Count();
    avo::ReleaseBuffers(pipe_);
    avo::SortedBoxes<T, kClasses> boxes;
    boxes.Init(boxes_, idxs_, workspace_ + tiling_.sorted, tiling_, pipe_);
    boxes.Process(pairs, count);
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
