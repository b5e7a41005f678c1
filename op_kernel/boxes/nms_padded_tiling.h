// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Scores are sorted in chunks. Then boxes are decided all at once in strips, or they are fetched in that
// order in tiles and decided a band at a time. The lists of buffers are in score_sort_buffers.h,
// strip_buffers.h, sorted_boxes_buffers.h and band_suppression_buffers.h.
struct NmsPaddedTiling {
  int64_t boxes;      // N
  int64_t outputs;    // length of the result
  int64_t most;       // boxes that are kept at most
  int64_t best;       // boxes that the first round decides: all, or a multiple of `band`
  int64_t pitch;      // elements from plane to plane of sorted boxes in the workspace
  int64_t keptPitch;  // elements from plane to plane of kept boxes
  int64_t runs;       // byte of the workspace where sorted chunks start: (score, index) pairs
  int64_t merged;     // byte where the two sides start that merges write in turn, N pairs each
  int64_t lengths;    // byte where the lengths of runs start, int32
  int64_t sorted;     // byte where the planes of boxes by descending score start, float32
  int64_t kept;       // byte where the planes of kept boxes start, float32
  int64_t masks;      // byte where the masks of cores start: a bit for each box of a band
  int64_t words;      // byte where the words of pairs start: a bit for each pair of boxes of a band
  int64_t state;      // byte where core 0 leaves how many boxes are kept
  int64_t guesses;    // byte where the guesses of strips start: for each strip a bit for each box, some sides
  float iouThreshold;    // a box is suppressed where its overlap with a better one is above this
  float ratio;           // 1 / iouThreshold where that is 1/2, 1/4, 1/8, …; 0 elsewhere
  float scoreThreshold;  // with a filter, scores must be above this
  float offset;          // added to widths and heights
  uint32_t filter;       // 1: scoreThreshold counts
  uint32_t chunk;        // scores that a core sorts at once, a multiple of 64
  uint32_t chunks;       // their number
  uint32_t window;       // pairs of each list in UB during a merge
  uint32_t tile;         // boxes that are fetched at a time, a multiple of 8
  uint32_t band;         // boxes that are decided at a time, a multiple of 64
  uint32_t rows;         // boxes that a tile of overlaps compares with 64 others, a multiple of 8
  uint32_t lanes;        // kept boxes in UB at a time, a multiple of 64
  uint32_t strip;        // lanes of a strip, a multiple of 64; 0: boxes are decided in bands
  uint32_t stage;        // boxes that strips decide at once: all, or the better half, a multiple of 256
  uint32_t stripRoom;    // lanes that there is room for: those of a strip, or more for the second half
  uint32_t share;        // rows of a strip that a core compares at most, a multiple of 16
  uint32_t stripRows;    // rows of a tile of a strip, a multiple of 8
  uint32_t bank;         // bytes of a bank of UB that tiles of strips are put into; 1: anywhere
};
