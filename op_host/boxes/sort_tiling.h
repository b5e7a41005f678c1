// SPDX-License-Identifier: Apache-2.0
// The tiling of a sort of scores (op_kernel/boxes/score_sort.h): how many scores a core sorts at once, and
// how many pairs of each list are in UB during a merge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_kernel/boxes/score_sort_buffers.h"

namespace avo {

// Scores to sort: at least one, each of `item` bytes.
struct SortProblem {
  static constexpr int64_t kGranule = 64;  // a chunk is a multiple of this many scores
  static constexpr int64_t kWindows = 8;   // a window is a multiple of this many pairs

  int64_t count, item;

  uint64_t Bytes(int64_t chunk, int64_t window) const {
    return BytesOf(ScoreSortBuffers(chunk, CeilDiv(count, chunk), window, item));
  }

  // The chunk that gives two levels of merges, within limits. Larger chunks are not tried.
  int64_t LargestChunk() const {
    constexpr int64_t kRuns = 16, kMostChunk = 4096, kLeastChunk = 256;
    const int64_t wanted = std::clamp(AlignUp(CeilDiv(count, kRuns), kGranule), kLeastChunk, kMostChunk);
    return std::min(wanted, AlignUp(count, kGranule));
  }

  // Bytes of UB of the smallest tiling. A smaller chunk takes less for its scores, but more for the list of
  // runs.
  uint64_t LeastBytes() const {
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (int64_t chunk = LargestChunk(); chunk > 0; chunk -= kGranule) {
      least = std::min(least, Bytes(chunk, kWindows));
    }
    return least;
  }
};

// Fills chunk, chunks and window of a tiling. UB must hold LeastBytes().
template <typename Tiling>
void PlanScoreSort(const SortProblem &problem, const Platform &platform, Tiling *tiling) {
  constexpr int64_t kMostWindow = 1024, kWindows = SortProblem::kWindows;
  int64_t chunk = problem.LargestChunk();
  while (problem.Bytes(chunk, kWindows) > platform.ub_bytes) chunk -= SortProblem::kGranule;
  const auto bytes = [&](int64_t windows) { return problem.Bytes(chunk, windows * kWindows); };
  tiling->chunk = static_cast<uint32_t>(chunk);
  tiling->chunks = static_cast<uint32_t>(CeilDiv(problem.count, chunk));
  tiling->window =
      static_cast<uint32_t>(kWindows * LargestFit(kMostWindow / kWindows, platform.ub_bytes, bytes));
}

}  // namespace avo
