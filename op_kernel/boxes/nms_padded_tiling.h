// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Boxes are sorted, gathered as planes in that order, and decided a band at a time.
struct NmsPaddedTiling {
  int64_t boxes;         // in all
  int64_t outputs;       // length of the result
  int64_t most;          // boxes kept at most
  int64_t pitch;         // elements between the planes of sorted boxes in the workspace
  int64_t keptPitch;     // the same of kept boxes
  int64_t runs;          // byte in the workspace: sorted chunks, (score, index) pairs
  int64_t merged;        // byte: the other side of merges
  int64_t lengths;       // byte: how many pairs each chunk has
  int64_t sorted;        // byte: planes of boxes by descending score
  int64_t kept;          // byte: planes of kept boxes
  int64_t masks;         // byte: which boxes of a band each core found suppressed
  int64_t words;         // byte: which boxes of a band suppress which
  int64_t state;         // byte: what was kept so far
  float iouThreshold;    // boxes whose overlap is above are suppressed
  float scoreThreshold;  // scores must be above, where there is a filter
  float offset;          // of widths and heights
  uint32_t filter;       // 1: scoreThreshold counts
  uint32_t chunk;        // scores that a core sorts at once
  uint32_t chunks;       // of them
  uint32_t window;       // pairs of each list in UB while merging
  uint32_t tile;         // boxes that are gathered at once
  uint32_t band;         // boxes that are decided at once
  uint32_t rows;         // boxes of a tile of overlaps, against 64 each
  uint32_t lanes;        // kept boxes in UB at once
};
