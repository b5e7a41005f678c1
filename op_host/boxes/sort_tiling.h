// SPDX-License-Identifier: Apache-2.0
// The tiling of a sort of scores (op_kernel/boxes/score_sort.h): chunks that a core sorts at once, and
// windows of the lists that it merges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

constexpr int64_t kPairBytes = 8;  // a score and its index

// Unified Buffer of chunks of `chunk` scores of `item` bytes and windows of `window` pairs.
inline int64_t ScoreSortBytes(int64_t count, int64_t item, int64_t chunk, int64_t window) {
  constexpr int64_t kBlock = 32, kLists = 4;
  const int64_t chunks = CeilDiv(count, chunk);
  // Keys, places and what is chosen of them; raw scores; bits; pairs before and after; runs and their
  // lengths.
  return chunk * (16 + (item == 4 ? 0 : item)) + chunk / 8 +
         2 * kPairBytes * std::max(chunk, kLists * window) + AlignUp<int64_t>(2 * chunks * 4, kBlock) +
         16 * chunks + kBlock;
}

// Fills chunk, chunks and window of a tiling for `count` scores, at least one.
template <typename Tiling>
void PlanScoreSort(int64_t count, int64_t item, const Platform &platform, Tiling *tiling) {
  constexpr int64_t kGranule = 64, kMostChunk = 4096, kLeastChunk = 256;
  constexpr int64_t kRuns = 16;  // two levels of merges
  constexpr int64_t kMostWindow = 1024, kWindows = 8;
  const int64_t wanted = std::clamp(AlignUp(CeilDiv(count, kRuns), kGranule), kLeastChunk, kMostChunk);
  int64_t chunk = std::min(wanted, AlignUp(count, kGranule));
  const auto fits = [&](int64_t window) {
    return ScoreSortBytes(count, item, chunk, window) <= static_cast<int64_t>(platform.ub_bytes);
  };
  while (chunk > 0 && !fits(kWindows)) chunk -= kGranule;
  if (chunk == 0) throw std::invalid_argument("the Unified Buffer is too small for a sort of so many scores");
  tiling->chunk = static_cast<uint32_t>(chunk);
  tiling->chunks = static_cast<uint32_t>(CeilDiv(count, chunk));
  tiling->window = static_cast<uint32_t>(
      kWindows * LargestFit(kMostWindow / kWindows, platform.ub_bytes, [&](int64_t windows) {
        return ScoreSortBytes(count, item, chunk, windows * kWindows);
      }));
}

}  // namespace avo
