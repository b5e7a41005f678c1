// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

constexpr uint64_t kPairBytes = 8;   // a float32 score and its int32 index
constexpr uint64_t kMergeLists = 4;  // lists that MrgSort merges at once

// What ScoreSort and its RunMerger put into UB.
struct ScoreSortBuffers {
  Buffer keys;           // float32: the scores of a chunk
  Buffer places;         // int32: their indices
  Buffer passing;        // a bit for each score: whether it is sorted
  Buffer chosen_keys;    // float32: scores whose bit is set, packed
  Buffer chosen;         // int32: their indices
  Buffer pairs, merged;  // pairs before and after a sort of a chunk or a merge of windows
  Buffer length;         // int32: the length of one run
  Buffer lengths;        // int32: the lengths of all runs
  Buffer runs;           // int32: start and length of each run
  Buffer raw;            // scores in their own dtype; none for float32

  // chunk: scores that a core sorts at once; chunks: their number, each of which makes two runs;
  // window: pairs of each list in UB during a merge; item: bytes of a score.
  __aicore__ ScoreSortBuffers(uint64_t chunk, uint64_t chunks, uint64_t window, uint64_t item)
      : keys{1, chunk * 4},
        places{1, chunk * 4},
        passing{1, chunk / 8},
        chosen_keys{1, chunk * 4},
        chosen{1, chunk * 4},
        pairs{1, (chunk > kMergeLists * window ? chunk : kMergeLists * window) * kPairBytes},
        merged{pairs},
        length{1, 32},
        lengths{1, 2 * chunks * 4},
        runs{1, 2 * chunks * 2 * 4},
        raw{item == 4 ? 0U : 1U, chunk * item} {}
};

}  // namespace avo
